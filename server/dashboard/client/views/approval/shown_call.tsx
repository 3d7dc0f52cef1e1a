// What a call would do: to a file as a change of it, else as the arguments that it was given.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { PendingBody } from "../../../../schemas/request_schemas.ts";
import type { JsonObject } from "../../../../../base/json.ts";
import { Folded } from "../../parts.tsx";
import { toVisible } from "../../../../../present/visible_text.ts";
import { Answer } from "../timeline_view.tsx";
import { ArgumentTable } from "./argument_table.tsx";
import { Diff } from "./diff_view.tsx";
import { MarkdownSwitch } from "./shown_text.tsx";

/** What a file tool would do. */
export type Preview = NonNullable<PendingBody["preview"]>;

/** The call that a person decides about. */
export function ShownCall({ pending }: { pending: PendingBody }): VNode {
  const { preview, tool_name: tool } = pending;
  // Regions of a page are told apart by their names, and many cards may stand on it.
  const whose = `in execution ${pending.execution_id}`;
  // It came as JSON.
  const args = pending.tool_args as JsonObject;
  const table = <ArgumentTable tool={tool} args={args} whose={whose} />;
  if (preview === null) return table;
  return (
    <>
      {preview.problem !== null && <p class="problem" dir="auto">{toVisible(preview.problem)}</p>}
      {preview.diff === "" ? table : (
        <>
          <FileChange preview={preview} written={args["content"]} whose={whose} />
          <Folded summary={<span class="muted">The arguments of {tool}</span>}>
            {() => table}
          </Folded>
        </>
      )}
    </>
  );
}

/** What other arguments would do to the file, where they are being written. */
export function PreviewedChange({ preview }: { preview: Preview }): VNode {
  return (
    <>
      {preview.problem !== null && (
        <p class="problem" role="alert" dir="auto">{toVisible(preview.problem)}</p>
      )}
      {preview.diff !== "" && (
        <FileChange preview={preview} written={null} whose="with these arguments" />
      )}
      {preview.diff === "" && preview.problem === null && (
        <p class="muted" role="status">Nothing would change.</p>
      )}
    </>
  );
}

/** A change of a file. `written`: the text that it would have, where that is known. */
function FileChange(
  { preview, written, whose }: { preview: Preview; written: unknown; whose: string },
): VNode {
  const [isRendered, setRendered] = useState(false);
  const { path, diff, added, removed, is_new_file: isNew } = preview;
  const markdown = typeof written === "string" && /\.(md|markdown)$/i.test(path) ? written : null;
  return (
    <>
      <p class="changed">
        <code class="path">{toVisible(path)}</code>
        {isNew && <span class="tag">new file</span>}
        {([["added", "+", added], ["removed", "−", removed]] as const).map((
          [what, sign, count],
        ) => (
          <span key={what} class={what}>
            {sign}
            {count.toLocaleString()}
            <span class="unseen">{count === 1 ? ` line ${what}` : ` lines ${what}`}</span>
          </span>
        ))}
        {markdown !== null && (
          <MarkdownSwitch isOn={isRendered} onSwitch={setRendered}>
            {isRendered ? "Show the change" : "Show the new text as Markdown"}
          </MarkdownSwitch>
        )}
      </p>
      {isRendered && markdown !== null
        ? (
          <div class="rendered">
            <Answer text={toVisible(markdown)} />
          </div>
        )
        : <Diff diff={diff} label={`Change of ${path} ${whose}`} />}
    </>
  );
}
