// The call that a person decides on: its text as it is and as Markdown, a change of a file, or else the arguments.
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import type { PendingBody } from "../../../api/schemas/request_schemas.ts";
import type { JsonObject } from "../../../base/json.ts";
import { Button, Folded, Preformatted } from "../../parts.tsx";
import { toVisible } from "../../../present/visible_text.ts";
import { Answer } from "../timeline_view.tsx";
import { Diff } from "./diff_view.tsx";

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

/** Texts up to this length, of one line, stand in the table as they are. */
const SHORT_CHARACTERS = 120;

/** One row for each argument. */
function ArgumentTable(
  { tool, args, whose }: { tool: string; args: JsonObject; whose: string },
): VNode {
  const entries = Object.entries(args);
  if (entries.length === 0) return <p class="muted">Without arguments.</p>;
  return (
    <table class="arguments" aria-label={`Arguments of ${tool} ${whose}`}>
      <tbody>
        {entries.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">
              <code>{toVisible(name)}</code>
            </th>
            <td>
              <Value label={`The argument ${name} ${whose}`} value={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ label, value }: { label: string; value: unknown }): VNode {
  if (typeof value === "string") {
    if (value === "") return <span class="muted">an empty text</span>;
    return value.length <= SHORT_CHARACTERS && !value.includes("\n")
      ? <span class="value" dir="auto">{toVisible(value)}</span>
      : <ShownText label={label} text={value} />;
  }
  const json = JSON.stringify(value, null, 2);
  return typeof value === "object" && value !== null
    ? <Preformatted label={label} text={toVisible(json)} />
    : <code>{json}</code>;
}

/** Matches text that Markdown would show in another way. */
const MARKS = /[*`|]|(?:^|\s)_\S|\]\(|^\s*(?:[-+>]|#{1,6}|\d+[.)])\s/m;

/** The text, with a switch where Markdown would show it in another way. `isProse`: a sentence to read, not a document. */
export function ShownText(
  { text, label, isProse = false }: { text: string; label: string; isProse?: boolean },
): VNode {
  const [isRendered, setRendered] = useState(false);
  const visible = toVisible(text);
  return (
    <>
      {isRendered
        ? <Answer text={visible} />
        : isProse
        ? <p class="question" dir="auto">{visible}</p>
        : <Preformatted label={label} text={visible} />}
      {MARKS.test(text) && (
        <MarkdownSwitch isOn={isRendered} onSwitch={setRendered}>
          {isRendered ? "Show the text as it is" : "Show as Markdown"}
        </MarkdownSwitch>
      )}
    </>
  );
}

/** Switches between a text as it is and as Markdown. */
function MarkdownSwitch(
  { isOn, onSwitch, children }: {
    isOn: boolean;
    onSwitch: (isOn: boolean) => void;
    children: ComponentChildren;
  },
): VNode {
  return (
    <Button class="quiet switch" aria-pressed={isOn} onClick={() => onSwitch(!isOn)}>
      {children}
    </Button>
  );
}
