// Executions as rows; on a narrow screen each row becomes a small block of its own.
import type { VNode } from "preact";
import { toRetrySentence } from "../../../../base/text/retry_words.ts";
import type { ExecutionSummary, ListedExecution } from "../../../schemas/execution_schemas.ts";
import { type AgentsById, labelOf } from "../state/agents_by_id.ts";
import { formatCost, formatCount, formatDuration } from "../format.ts";
import { AgentName, Status, When } from "../parts.tsx";
import { toHash } from "../route.ts";

/** A table of executions; the first cell of each row leads to it. */
export function ExecutionTable(
  { executions, agents, label, counts }: {
    executions: readonly (ExecutionSummary | ListedExecution)[];
    /** Null where all are of the agent whose page it is. */
    agents: AgentsById | null;
    label: string;
    /** How many alike a row stands for, by the id of its execution; one where it is not named. */
    counts?: ReadonlyMap<number, number>;
  },
): VNode {
  return (
    <table class="rows" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Execution</th>
          <th scope="col">Status</th>
          <th scope="col">Started</th>
          <th scope="col">Trigger</th>
          <th scope="col" class="number">Duration</th>
          <th scope="col" class="number">Tokens</th>
          <th scope="col" class="number">Cost</th>
        </tr>
      </thead>
      <tbody>
        {executions.map((execution) => (
          <Row
            key={execution.id}
            execution={execution}
            agents={agents}
            count={counts?.get(execution.id) ?? 1}
          />
        ))}
      </tbody>
    </table>
  );
}

function Row(
  { execution, agents, count }: {
    execution: ExecutionSummary | ListedExecution;
    agents: AgentsById | null;
    count: number;
  },
): VNode {
  const {
    id,
    agent_id,
    status,
    started_at,
    trigger,
    duration_ms,
    total_tokens,
    cost_usd,
    error,
    retry,
  } = execution;
  const preview = describePreview(execution);
  return (
    <tr>
      <th scope="row" class="main">
        <a data-row href={toHash({ view: "execution", id })}>
          {agents === null ? `Execution ${id}` : (
            <>
              <AgentName {...labelOf(agents, agent_id)} /> <span class="muted">#{id}</span>
            </>
          )}
        </a>
        {preview !== "" && (
          <span class="muted small ellipsis row-preview" title={preview} dir="auto">{preview}</span>
        )}
        {retry !== undefined && <span class="muted small ellipsis">{toRetrySentence(retry)}</span>}
        {error !== null && <span class="row-error ellipsis" title={error} dir="auto">{error}</span>}
      </th>
      <td>
        <Status status={status} />
        {count > 1 && <span class="muted small">{` ${count} times`}</span>}
      </td>
      <td>
        <When at={started_at} />
      </td>
      <td>
        {trigger}
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
}

/** What it was asked and what it answered; empty where that was not fetched. */
function describePreview(execution: ExecutionSummary | ListedExecution): string {
  const preview = "preview" in execution ? execution.preview : undefined;
  return [preview?.asked, preview?.answered].filter((text) => text).join(" → ");
}
