// Prints the log of an execution step by step.
import { toPauseWords } from "../../../base/text/rest_words.ts";
import { toLabelWords } from "../../../base/text/label_words.ts";
import type { ExecutionDetail, LogRow } from "../../../api/schemas/execution_schemas.ts";
import { formatCost, formatCount, formatPlural } from "../figures.ts";
import { type FramePiece, FrameRenderer } from "./frames.ts";
import type { Output } from "../output.ts";
import type { FramePayload } from "../../../present/payload.ts";
import type { ReplyView } from "./reply_view.ts";
import { openReplies } from "./text_view.ts";
import { toOneLine } from "../sanitize.ts";
import { wrapText } from "../wrap.ts";

/** Prints the last `count` rows of an execution's log. The default is all rows. */
export async function showTranscript(
  output: Output,
  execution: ExecutionDetail,
  log: readonly LogRow[],
  count = log.length,
): Promise<void> {
  const { id, status, children, forked_from: from, waits_for_labels: labels } = execution;
  const start = Math.max(0, log.length - count);
  const rows = log.slice(start);
  const renderer = new FrameRenderer({
    style: output.style,
    columns: output.stdout.columns,
    verbose: output.verbose,
    showMessages: !output.quiet,
    showTimes: true,
    stepsBefore: log.slice(0, start).filter(isReply).length,
    showSteps: true,
    stepsTakenOver: from?.step ?? 0,
  });
  const replies = await openReplies(output);
  if (from !== null) {
    const place = from.step === 0 ? "at its beginning" : `after step ${from.step}`;
    output.detail(output.style.dim(`Forked from execution ${from.execution_id} ${place}`));
  }
  const show = (pieces: readonly FramePiece[]) => {
    for (const piece of pieces) showPiece(output, piece, replies);
  };
  for (const row of rows) show(renderer.render(toPayload(row, execution)));
  for (const row of rows.slice(-1)) show(renderer.renderOpenCalls(toPayload(row, execution)));
  if (children.count > 0) {
    const { count, total_tokens: tokens, cost_usd: cost } = children;
    const figures = [
      `${formatPlural(count, "delegated execution")}`,
      `${formatCount(tokens)} tokens`,
      ...(cost === null ? [] : [formatCost(cost)]),
    ];
    output.detail(output.style.dim(`+ ${figures.join(" · ")}`));
  }
  const pause = toPauseWords(execution);
  if (labels !== undefined) {
    output.note(`Execution ${id} waits for a node with ${toLabelWords(labels)}`);
  } else if (pause !== undefined) {
    output.note(toOneLine(`Execution ${id} ${pause}`));
    output.note(`"inkling wake ${id}" continues it now`);
  } else if (status === "running" || status === "waiting") {
    output.note(`Execution ${id} is still ${status}. "inkling watch ${id}" follows it`);
  }
}

function showPiece(
  output: Output,
  { kind, text }: FramePiece,
  replies: ReplyView | undefined,
): void {
  switch (kind) {
    case "step":
    case "reply":
      return output.quiet ? undefined : output.line(text);
    case "answer":
      if (replies !== undefined) replies.show(text, { alone: output.quiet });
      else output.line(output.quiet ? text : `\n${text}`);
      return output.detail("");
    case "failure":
      return output.line(output.style.red(wrapText(text, output.stdout.columns)));
    default:
      return kind satisfies never;
  }
}

/**
 * Converts a row of the log to the frame that was stored as this row. Fields that the row lacks come from the execution.
 */
function toPayload(
  row: LogRow,
  { agent_id, parent_execution_id }: ExecutionDetail,
): FramePayload {
  return {
    execution_id: row.execution_id,
    parent_execution_id,
    display_name: agent_id,
    content: row.message,
    ...(row.metadata === null ? {} : JSON.parse(row.metadata)),
    timestamp: row.timestamp,
    event_type: row.event_type,
    message: row.message,
  };
}

function isReply({ event_type: type }: LogRow): boolean {
  return type === "ai" || type === "tool_call";
}
