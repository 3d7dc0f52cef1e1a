// `inkling watch`: prints a running or waiting execution from its start, and asks its questions.
import { performs } from "../../command_line/command.ts";
import type { watch } from "../../declarations/execution_commands.ts";
import type { Client } from "../../../api/client/client.ts";
import { type CommandContext, EXIT, type ExitCode, Interrupted } from "../../context/context.ts";
import { type Interrupts, listenToInterrupts } from "../../prompting/interrupts.ts";
import { findExecution } from "../../runs/find_execution.ts";
import { showRun } from "../../runs/show_run.ts";
import { openService } from "../../service/daemon.ts";

/** The time after the first Ctrl+C in which a second Ctrl+C cancels the execution. */
const SECOND_INTERRUPT_MS = 2_000;

/** Prints an execution until its end, an unanswered question, or Ctrl+C. */
export const perform = performs<typeof watch>((context, options, { id }) =>
  watchExecution(context, id, options)
);

/**
 * Prints an execution until its end, an unanswered question, or Ctrl+C, and returns the exit code. With `asks: false` it
 * does not ask the execution's questions.
 */
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
    return await waitForCancel(context, client, { id, interrupts });
  }
}

/** Cancels the execution if a second Ctrl+C follows within SECOND_INTERRUPT_MS. */
async function waitForCancel(
  { app, output }: CommandContext,
  client: Client,
  { id, interrupts }: { id: number; interrupts: Interrupts },
): Promise<ExitCode> {
  output.note(
    `Execution ${id} continues: "inkling watch ${id}" follows it. Press Ctrl+C again to cancel it`,
  );
  // If a prompt was open, it has consumed the first Ctrl+C. The signal `first` then aborts only at the second Ctrl+C.
  const next = interrupts.first.aborted ? interrupts.second : interrupts.first;
  try {
    await app.clock.sleep(SECOND_INTERRUPT_MS, next);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    await client.cancel(id);
    output.note(`Execution ${id} is being cancelled`);
  }
  return EXIT.interrupted;
}
