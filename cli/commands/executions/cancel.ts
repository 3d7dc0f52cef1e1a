// cancel: ends executions that run or wait, and tells of each what became of it.
import type { CancelBody, ExecutionSummary } from "../../../server/schemas/execution_schemas.ts";
import type { CommandContext } from "../../context.ts";
import { CommandFailure, EXIT, type ExitCode } from "../../exit.ts";
import { toOneLine } from "../../output/sanitise.ts";
import { findExecution } from "../../runs/find_execution.ts";
import { openService } from "../../service/daemon.ts";

/** Cancels each execution once. An id without an execution makes the command fail, after the others are cancelled. */
export async function cancel(
  context: CommandContext,
  ids: readonly number[],
  options: { json?: true },
): Promise<ExitCode> {
  const { output } = context;
  if (ids.length === 0) {
    throw new CommandFailure(EXIT.usage, 'Which execution? "inkling cancel 12" cancels one');
  }
  using client = await openService(context);
  const results: CancelBody[] = [];
  let code: ExitCode = EXIT.ok;
  for (const id of new Set(ids)) {
    const execution = await findExecution(client, id).catch((error: unknown) => {
      if (!(error instanceof CommandFailure)) throw error;
      output.error(error.message);
      code = error.exitCode;
    });
    if (execution === undefined) continue;
    const result = await client.cancel(id);
    results.push(result);
    if (!options.json) output.sentence(describe(execution, result));
  }
  if (options.json) output.json(results);
  return code;
}

function describe({ id, agent_id, status }: ExecutionSummary, result: CancelBody): string {
  const name = `Execution ${id} of ${toOneLine(agent_id)}`;
  if (result.status === "cancelling") return `${name} is being cancelled`;
  const isOpen = status === "running" || status === "waiting";
  if (isOpen && result.status === "aborted") return `${name} is cancelled`;
  return `${name} has ended before: ${result.status}`;
}
