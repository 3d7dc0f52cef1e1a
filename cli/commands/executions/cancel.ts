// `inkling cancel`: cancels running and waiting executions, and prints a result for each.
import { performs } from "../../command_line/command.ts";
import type { cancel } from "../../declarations/execution_commands.ts";
import type { Client } from "../../../api/client/client.ts";
import type { CancelBody, ExecutionSummary } from "../../../api/schemas/execution_schemas.ts";
import type { CommandContext } from "../../context/context.ts";
import { CommandFailure, EXIT, type ExitCode, Interrupted, misuse } from "../../context/exit.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { formatRelative } from "../../output/time.ts";
import { hasPerson } from "../../prompting/ask_person.ts";
import { findExecution } from "../../runs/find_execution.ts";
import { openService } from "../../service/daemon.ts";

/** The maximum number of executions that the user can choose from. */
const MOST_LISTED = 100;

/**
 * Cancels each named execution. Without ids, asks the user to choose. After an unknown id, the other executions are
 * cancelled, and the exit code is not 0.
 */
export const perform = performs<typeof cancel>(async (context, options, { ids }) => {
  const { output } = context;
  using client = await openService(context);
  const chosen = ids.length > 0 ? ids : await chooseOpen(context, client, options);
  if (chosen.length === 0) return output.line("No execution is running or waiting");
  const results: CancelBody[] = [];
  let code: ExitCode = EXIT.ok;
  for (const id of new Set(chosen)) {
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
});

/**
 * Asks the user to choose from the running and waiting executions, and returns their numbers. Throws CommandFailure without
 * a terminal.
 */
async function chooseOpen(
  context: CommandContext,
  client: Client,
  { json }: { json?: true },
): Promise<number[]> {
  const { app: { clock, input }, output } = context;
  const open = await client.executions({ status: ["running", "waiting"], limit: MOST_LISTED });
  const now = clock.now();
  const choices = open.map(({ id, agent_id, status, started_at }) => ({
    value: String(id),
    label: `${id} ${toOneLine(agent_id)}`,
    hint: `${status}, started ${formatRelative(started_at, now)}`,
  }));
  if (json || !hasPerson(context)) {
    const list = choices.map(({ label, hint }) => `\n  ${label} (${hint})`).join("");
    const state = list === "" ? "No execution is running or waiting" : `Running or waiting:${list}`;
    throw misuse(`Name the execution: inkling cancel <id>. ${state}`);
  }
  if (choices.length === 0) return [];
  const message = "Which executions do you want to cancel?";
  const picked = await input.prompter.multiselect({ message, choices });
  if (picked !== undefined) return picked.map(Number);
  output.note("Nothing was cancelled");
  throw new Interrupted();
}

function describe({ id, agent_id, status }: ExecutionSummary, result: CancelBody): string {
  const name = `Execution ${id} of ${toOneLine(agent_id)}`;
  if (result.status === "cancelling") return `${name} is being cancelled`;
  const isOpen = status === "running" || status === "waiting";
  if (isOpen && result.status === "aborted") return `${name} is cancelled`;
  return `${name} had already ended: ${result.status}`;
}
