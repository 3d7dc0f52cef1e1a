// A tool call: its name, its state, its arguments and its result. Long texts are collapsed.
import type { VNode } from "preact";
import { beginningOf } from "../../base/text/cut_text.ts";
import { formatDuration } from "../parts/format.ts";
import { Collapsible, Preformatted } from "../parts/parts.tsx";
import { executionHref } from "../state/route.ts";
import type { Call } from "../state/timeline.ts";

/** The maximum length of a line that is not collapsed. */
const SHORT_CHARACTERS = 120;

/** A call with its result, if there is one. */
export function ToolCall({ call }: { call: Call }): VNode {
  const { name, args, result, childId } = call;
  const state = result === null ? "no result yet" : result.isError ? "failed" : "done";
  return (
    <div class={`call ${result?.isError ? "failed" : ""}`}>
      <h3>
        <code>{name}</code>
        <span class="muted">
          {state}
          {result?.durationMs != null && `, ${formatDuration(result.durationMs)}`}
        </span>
        {childId !== null && <a href={executionHref(childId)}>execution {childId}</a>}
      </h3>
      <Excerpt label={`Arguments of ${name}`} text={args} isMuted />
      {result !== null && (
        <Excerpt label={`Result of ${name}`} text={result.content || "empty result"} />
      )}
    </div>
  );
}

/** A short text, or the collapsed beginning of a long one. Muted text is formatted as JSON. */
function Excerpt(
  { label, text, isMuted = false }: { label: string; text: string; isMuted?: boolean },
): VNode {
  const tone = isMuted ? "muted" : "";
  if (text.length <= SHORT_CHARACTERS && !text.trim().includes("\n")) {
    return <p class={`excerpt ${tone}`} dir="auto">{text}</p>;
  }
  return (
    <Collapsible summary={<span class={`excerpt ellipsis ${tone}`}>{lineOf(text)}</span>}>
      {() => <Preformatted label={label} text={isMuted ? indented(text) : text} />}
    </Collapsible>
  );
}

/** Returns the first line of a text, shortened. */
export function lineOf(text: string): string {
  return beginningOf(text, 300).trimStart().split("\n")[0] ?? "";
}

/** Indents JSON arguments. Returns any other text unchanged. */
function indented(args: string): string {
  try {
    return JSON.stringify(JSON.parse(args), null, 2);
  } catch {
    // A model may write invalid JSON, which is shown unchanged.
    return args;
  }
}
