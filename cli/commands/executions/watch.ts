// watch: takes up an execution that runs or waits: what happened so far, what is to come, and what it asks.
import { performs } from "../../command_line/command.ts";
import type { watch } from "../../declarations/execution_commands.ts";
import type { Client } from "../../../api/client/client.ts";
import { type CommandContext, EXIT, type ExitCode, Interrupted } from "../../context.ts";
import { type Interrupts, listenToInterrupts } from "../../prompting/interrupts.ts";
import { findExecution } from "../../runs/find_execution.ts";
import { showRun } from "../../runs/show_run.ts";
import { openService } from "../../service/daemon.ts";

/** How long after the first Ctrl+C a second one still cancels. */
const LET_GO_MS = 2_000;

/** Follows an execution to its end, to a question that is not answered here, or until Ctrl+C lets go of it. */
export const perform = performs<typeof watch>((context, options, { id }) =>
  watchExecution(context, id, options)
);

/** Follows an execution; `asks`: false leaves its questions to others. */
export async function watchExecution(
  context: CommandContext,
  id: number,
  options: { json?: true; asks?: false },
): Promise<ExitCode> {
  using interrupts = listenToInterrupts(context.app);
  using client = await openService(context, { signal: interrupts.first });
  const { forked_from: takenOver } = await findExecution(client, id);
  try {
    const run = { client, executionId: id, interrupts, isLeft: true, takenOver };
    return await showRun(context, { ...run, ...options });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return await letGo(context, client, { id, interrupts });
  }
}

async function letGo(
  { app, output }: CommandContext,
  client: Client,
  { id, interrupts }: { id: number; interrupts: Interrupts },
): Promise<ExitCode> {
  output.note(`Execution ${id} goes on: "inkling watch ${id}" follows it. Ctrl+C cancels it`);
  // A prompt that was open took the first one for itself.
  const next = interrupts.first.aborted ? interrupts.second : interrupts.first;
  try {
    await app.clock.sleep(LET_GO_MS, next);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    await client.cancel(id);
    output.note(`Execution ${id} is being cancelled`);
  }
  return EXIT.interrupted;
}
