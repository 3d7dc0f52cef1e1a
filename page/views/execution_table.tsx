// The table of executions. On a narrow screen each row becomes a block.
import type { VNode } from "preact";
import { toPauseSentence } from "../../base/text/rest_words.ts";
import type { ListedExecution } from "../../api/schemas/execution_schemas.ts";
import { formatCost, formatCount, formatDuration } from "../parts/format.ts";
import { ExecutionLink, RelativeTime, Status, TableHead } from "../parts/parts.tsx";
import { executionHref } from "../state/route.ts";
import { useNow } from "../state/use_resource.ts";
import { MINUTE_MS } from "../../base/time_units.ts";

const COLUMNS = ["Execution", "Status", "Started", "Trigger", "Duration", "Tokens", "Cost"];

/** Renders a table of executions. The first cell of each row is a link. */
export function ExecutionTable(
  { executions, isOfOneAgent = false, isBrief = false, label }: {
    /** `count` is the number of similar executions that a row represents. Default: 1. */
    executions: readonly (ListedExecution & { count?: number })[];
    /** True if all executions belong to the agent of the view, so that the agent's name is omitted. */
    isOfOneAgent?: boolean;
    /** True to show the first line of the answer only, not the message that led to it. */
    isBrief?: boolean;
    label: string;
  },
): VNode {
  const now = useNow(MINUTE_MS);
  return (
    <table class="rows" aria-label={label}>
      <TableHead names={COLUMNS} numbersFrom={4} />
      <tbody>
        {executions.map((execution) => {
          const { id, status, duration_ms, total_tokens, cost_usd, error, count = 1 } = execution;
          const pause = toPauseSentence(execution, now);
          const preview = isBrief ? firstAnswerLine(execution) : describePreview(execution);
          return (
            <tr key={id}>
              <th scope="row" class="main">
                {isOfOneAgent
                  ? <a data-row href={executionHref(id)}>{`Execution ${id}`}</a>
                  : <ExecutionLink data-row id={id} agentId={execution.agent_id} />}
                {preview !== "" && (
                  <span class="muted small ellipsis row-preview" title={preview} dir="auto">
                    {preview}
                  </span>
                )}
                {pause !== undefined && <span class="muted small ellipsis">{pause}</span>}
                {error !== null && (
                  <span class="row-error ellipsis" title={error} dir="auto">{error}</span>
                )}
              </th>
              <td>
                <Status status={status} />
                {count > 1 && <span class="muted small">{` ${count} times`}</span>}
              </td>
              <td>
                <RelativeTime at={execution.started_at} />
              </td>
              <td>
                {execution.trigger}
                {execution.dry_run && <span class="muted small">{` dry run`}</span>}
              </td>
              <td class="number">{duration_ms === null ? "" : formatDuration(duration_ms)}</td>
              <td class="number">
                {total_tokens !== null && (
                  <>
                    {formatCount(total_tokens)} <span class="unit">tokens</span>
                  </>
                )}
              </td>
              <td class="number">{cost_usd === null ? "" : formatCost(cost_usd)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Returns the beginning of an execution's message and answer, or an empty text if they were not loaded. */
function describePreview({ preview }: ListedExecution): string {
  return [preview?.asked, preview?.answered].filter((text) => text).join(" → ");
}

/** Returns the first line of the answer below its headings, without the marks of Markdown. */
function firstAnswerLine({ preview }: ListedExecution): string {
  const lines = (preview?.answered ?? "").split("\n")
    .map((line) => line.trim()).filter((line) => line !== "");
  const line = lines.find((one) => !one.startsWith("#")) ?? lines[0] ?? "";
  return line.replaceAll(/[*`]+|^[#>\-\s]+/g, "");
}
