// Formats the events of a foreground service, each as one line.
import { formatDuration } from "../../base/durations.ts";
import { toRestWords } from "../../base/text/rest_words.ts";
import type { ServiceEventMessage } from "../../api/client/client.ts";
import { type FramePayload, numberOf, textOf } from "../../present/payload.ts";
import { toOneLine } from "./sanitize.ts";
import type { Style } from "./style.ts";
import { formatLocal } from "../../present/local_time.ts";
import { toVisibleLine } from "../../present/visible_text.ts";
import { shorten } from "./width.ts";
import { wrapText } from "./wrap.ts";

/** The maximum width of a question; a longer question is truncated. `inkling respond` shows the whole question. */
const MESSAGE_WIDTH = 200;

/**
 * Formats an event as a line with its time `at`, in milliseconds since the epoch. Returns undefined for kinds of events
 * that are not shown.
 */
export function formatServiceEvent(
  { event, payload }: ServiceEventMessage,
  options: { at: number; style: Style; columns: number },
): string | undefined {
  const { style, at, columns } = options;
  const line = toEventLine(event, payload, { style, at });
  if (line === undefined) return undefined;
  const time = formatLocal(new Date(at).toISOString()).slice(11);
  const [name = "", ...rest] = line.parts.filter((part) => part !== "").map(toOneLine);
  const about = [style.bold(name), ...(rest.length > 0 ? [style.dim(rest.join(" · "))] : [])];
  return wrapText(`${style.dim(time)} ${line.mark} ${about.join(style.dim(" · "))}`, columns, {
    hanging: 11,
  });
}

/** Returns the mark of an event's line, and its texts, of which the first is the agent's id. */
function toEventLine(
  event: string,
  payload: FramePayload,
  { style, at }: { style: Style; at: number },
): { mark: string; parts: string[] } | undefined {
  const agent = textOf(payload, "agent_id");
  const status = textOf(payload, "status");
  const execution = `execution ${numberOf(payload, "execution_id") ?? "?"}`;
  switch (event) {
    case "execution_started":
      return { mark: style.cyan("→"), parts: [agent, textOf(payload, "trigger"), execution] };
    case "execution_resumed":
      return { mark: style.cyan("→"), parts: [agent, "continues", execution] };
    case "execution_resting": {
      const rest = { until: textOf(payload, "rests_until"), reason: textOf(payload, "rests_for") };
      return { mark: style.dim("…"), parts: [agent, toRestWords(rest, at), execution] };
    }
    case "execution_waiting":
      return {
        mark: style.yellow("?"),
        parts: [
          agent,
          `waits: inkling respond ${numberOf(payload, "execution_id") ?? "?"}`,
          shorten(toVisibleLine(textOf(payload, "message")), MESSAGE_WIDTH),
        ],
      };
    case "execution_completed": {
      const duration = numberOf(payload, "duration_ms");
      const mark = status === "success" ? style.green("✔") : style.red("✖");
      const time = duration === undefined ? "" : formatDuration(duration);
      return { mark, parts: [agent, status, time, execution] };
    }
    case "agents_changed":
      return { mark: style.dim("~"), parts: [agent, `agent file ${textOf(payload, "event")}`] };
    case "trigger_changed":
      return {
        mark: status === "paused" ? style.yellow("!") : style.dim("~"),
        parts: [agent, `trigger ${status}`, textOf(payload, "reason")],
      };
    case "budget_warning":
      return { mark: style.yellow("!"), parts: [agent || "workspace", textOf(payload, "message")] };
    case "scheduler_changed":
      return {
        mark: status === "paused" ? style.yellow("!") : style.dim("~"),
        parts: [`scheduler ${status}`],
      };
    default:
      return undefined;
  }
}
