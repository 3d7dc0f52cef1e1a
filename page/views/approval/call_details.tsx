// The call that a person decides on: its file change or its arguments, as plain text or as Markdown.
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import type { PendingBody, PreviewBody } from "../../../api/schemas/request_schemas.ts";
import { Button, Collapsible, Preformatted, TableHead } from "../../parts/parts.tsx";
import { toVisible } from "../../../present/visible_text.ts";
import { FormattedText } from "../../parts/markdown.tsx";
import { diffOf } from "../../state/diff_lines.ts";
import { Diff } from "./diff_view.tsx";

/** Renders the call with its file change or its arguments. */
export function CallDetails({ pending }: { pending: PendingBody }): VNode {
  const { preview, tool_name: tool } = pending;
  // The name of the region contains the execution, because names must be unique among the cards of a view.
  const place = `in execution ${pending.execution_id}`;
  const args = pending.tool_args;
  const changed = pending.original_args && (
    <ChangedArguments before={pending.original_args} after={args} place={place} />
  );
  const table = <ArgumentTable tool={tool} args={args} place={place} />;
  if (preview === null) return <>{changed}{table}</>;
  return (
    <>
      {changed}
      {preview.problem !== null && <p class="problem" dir="auto">{toVisible(preview.problem)}</p>}
      {preview.diff !== "" && (
        <FileChange preview={preview} written={args["content"]} place={place} />
      )}
      {preview.diff === "" && preview.problem !== null ? table : (
        <>
          {preview.diff === "" && <p>Nothing would change.</p>}
          <Collapsible summary={<span class="muted">Arguments of {tool}</span>}>
            {() => table}
          </Collapsible>
        </>
      )}
    </>
  );
}

/** Renders the file change with edited arguments. */
export function PreviewedChange({ preview }: { preview: PreviewBody }): VNode {
  return (
    <>
      {preview.problem !== null && (
        <p class="problem" role="alert" dir="auto">{toVisible(preview.problem)}</p>
      )}
      {preview.diff !== "" && (
        <FileChange preview={preview} written={null} place="with these arguments" />
      )}
      {preview.diff === "" && preview.problem === null && (
        <p class="muted" role="status">No changes.</p>
      )}
    </>
  );
}

/** Renders a file change. `written` is the new text of the file, if it is known. */
export function FileChange(
  { preview, written, place }: {
    preview: Omit<PreviewBody, "problem">;
    written: unknown;
    place: string;
  },
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
            <FormattedText text={toVisible(markdown)} />
          </div>
        )
        : <Diff diff={diff} label={`Change of ${path} ${place}`} />}
    </>
  );
}

/** The maximum length of a line that the table shows directly. */
const SHORT_CHARACTERS = 120;

/** Renders a table with one row for each argument. */
export function ArgumentTable(
  { tool, args, place }: { tool: string; args: Readonly<Record<string, unknown>>; place: string },
): VNode {
  const entries = Object.entries(args);
  if (entries.length === 0) return <p class="muted">No arguments.</p>;
  return (
    <table class="arguments" aria-label={`Arguments of ${tool} ${place}`}>
      <tbody>
        {entries.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">
              <code>{toVisible(name)}</code>
            </th>
            <td>
              <Value label={`Argument ${name} ${place}`} value={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Renders the arguments that a person changed: short values before and after, and longer texts as a diff. */
export function ChangedArguments(
  { before, after, place }: {
    before: Readonly<Record<string, unknown>>;
    after: Readonly<Record<string, unknown>>;
    place: string;
  },
): VNode {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) =>
    JSON.stringify(before[name]) !== JSON.stringify(after[name])
  );
  return (
    <table class="arguments" aria-label={`Changed arguments ${place}`}>
      <TableHead names={["Argument", "Changed by the person"]} />
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row">
              <code>{toVisible(name)}</code>
            </th>
            <td>
              <Changed
                label={`Change of ${name} ${place}`}
                before={toText(before[name])}
                after={toText(after[name])}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Returns the text of an argument; null for a missing one. */
function toText(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function Changed(
  { label, before, after }: { label: string; before: string | null; after: string | null },
): VNode {
  const isShort = [before, after].every((one) =>
    one === null || one.length <= SHORT_CHARACTERS && !one.includes("\n")
  );
  if (!isShort) return <Diff label={label} diff={diffOf(toLines(before), toLines(after))} />;
  return (
    <span class="value" dir="auto">
      {before === null
        ? <span class="muted">not given</span>
        : <del>{toVisible(before) || "empty text"}</del>} <span aria-hidden="true">→</span>{" "}
      {after === null
        ? <span class="muted">left out</span>
        : <ins>{toVisible(after) || "empty text"}</ins>}
    </span>
  );
}

/** Returns a text that ends with a line feed, so that the diff mentions no missing one. */
function toLines(text: string | null): string {
  return text === null || text.endsWith("\n") ? text ?? "" : `${text}\n`;
}

function Value({ label, value }: { label: string; value: unknown }): VNode {
  if (typeof value === "string") {
    if (value === "") return <span class="muted">empty text</span>;
    return value.length <= SHORT_CHARACTERS && !value.includes("\n")
      ? <span class="value" dir="auto">{toVisible(value)}</span>
      : <SwitchableText label={label} text={value} />;
  }
  const json = JSON.stringify(value, null, 2);
  return typeof value === "object" && value !== null
    ? <Preformatted label={label} text={toVisible(json)} />
    : <code>{json}</code>;
}

/** Matches text that contains Markdown syntax. */
const MARKS = /[*`|]|(?:^|\s)_\S|\]\(|^\s*(?:[-+>]|#{1,6}|\d+[.)])\s/m;

/**
 * Renders a text, with a switch to formatted Markdown if the text contains Markdown syntax. `isProse` is true for a
 * sentence, false for a document.
 */
export function SwitchableText(
  { text, label, isProse = false }: { text: string; label: string; isProse?: boolean },
): VNode {
  const [isRendered, setRendered] = useState(false);
  const visible = toVisible(text);
  return (
    <>
      {isRendered
        ? <FormattedText text={visible} />
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

/** Renders the switch between plain text and Markdown. */
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
