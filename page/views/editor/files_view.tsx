// The files that people edit, the templates of new agents, and the variables that are set.
import type { VNode } from "preact";
import { Figures, LoadState, ViewHead } from "../../parts/parts.tsx";
import { type EditedPlace, titleOfFile } from "../../state/edited_file.ts";
import { toHash } from "../../state/route.ts";
import { useResource } from "../../state/use_resource.ts";

/** Renders the lists. */
export function FilesView(): VNode {
  const facts = useResource((client) => client.editor(), { topics: ["agents"] });
  const { data } = facts;
  return (
    <>
      <ViewHead crumb={<a href={toHash({ view: "agents" })}>Agents</a>} title="Files">
        <FileLink place={{ kind: "new", from: null, copy: null }} isButton />
      </ViewHead>
      <LoadState of={facts} />
      {data !== undefined && (
        <>
          <ul class="files">
            <li>
              <FileLink place={{ kind: "config" }} />
            </li>
            <li>
              <FileLink place={{ kind: "mcp" }} />
            </li>
            {data.skills.map((name) => (
              <li key={name}>
                Skill <FileLink place={{ kind: "skill", name }} />
              </li>
            ))}
          </ul>
          <h2>New agent from the gallery</h2>
          <ul class="files">
            {data.gallery.map(({ name, description }) => (
              <li key={name}>
                <a
                  data-row
                  href={toHash({ view: "edit", place: { kind: "new", from: name, copy: null } })}
                >
                  {name}
                </a>{" "}
                <span class="muted">{description}</span>
              </li>
            ))}
          </ul>
          <h2>Keys and variables</h2>
          <Figures
            of={Object.fromEntries(
              data.variables.map(({ name, is_set }) => [name, is_set ? "set" : "not set"]),
            )}
          />
        </>
      )}
    </>
  );
}

function FileLink({ place, isButton = false }: { place: EditedPlace; isButton?: boolean }): VNode {
  return (
    <a
      data-row={!isButton}
      class={isButton ? "button" : undefined}
      href={toHash({ view: "edit", place })}
    >
      {titleOfFile(place)}
    </a>
  );
}
