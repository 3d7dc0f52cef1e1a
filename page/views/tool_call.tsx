// A tool call as a person reads it: its name and how it went, its arguments and its result, long ones folded.
import type { VNode } from "preact";
import { beginningOf } from "../../base/text/cut_text.ts";
import { formatDuration } from "../format.ts";
import { Folded, Preformatted } from "../parts.tsx";
import { executionHref } from "../route.ts";
import type { Call } from "../state/timeline.ts";

/** One line up to this length needs no fold. */
const SHORT_CHARACTERS = 120;

/** A call with its result, once there is one. */
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
        <Excerpt label={`Result of ${name}`} text={result.content || "an empty result"} />
      )}
    </div>
  );
}

/** A text's beginning, with all of it behind a fold; a short one as it is. What is muted is laid out. */
function Excerpt(
  { label, text, isMuted = false }: { label: string; text: string; isMuted?: boolean },
): VNode {
  const tone = isMuted ? "muted" : "";
  if (text.length <= SHORT_CHARACTERS && !text.trim().includes("\n")) {
    return <p class={`excerpt ${tone}`} dir="auto">{text}</p>;
  }
  return (
    <Folded summary={<span class={`excerpt ellipsis ${tone}`}>{lineOf(text)}</span>}>
      {() => <Preformatted label={label} text={isMuted ? indented(text) : text} />}
    </Folded>
  );
}

/** The beginning of a text, for a line that leads to the whole. */
export function lineOf(text: string): string {
  return beginningOf(text, 300).trimStart().split("\n")[0] ?? "";
}

/** Arguments that are JSON, laid out; others as they came. */
function indented(args: string): string {
  try {
    return JSON.stringify(JSON.parse(args), null, 2);
  } catch {
    // A model may write anything as arguments: what is not JSON is still what it asked for.
    return args;
  }
}
