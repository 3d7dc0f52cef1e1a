// Prints the run of a command: as text with questions, as JSON, or as a sentence for --detach.
import type { Client } from "../../api/client/client.ts";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import type { RunAccepted } from "../../api/schemas/run_schemas.ts";
import type { CommandContext } from "../context/context.ts";
import type { ExitCode } from "../context/exit.ts";
import type { Output } from "../output/output.ts";
import { jsonView, openTextView } from "../output/run/text_view.ts";
import { hasPerson } from "../prompting/ask_person.ts";
import type { Interrupts } from "../prompting/interrupts.ts";
import { watchRun } from "./watch_run.ts";

/** The run to print, and how. */
export interface ShownRun {
  client: Client;
  executionId: number;
  interrupts: Interrupts;
  /** If true, the first Ctrl+C stops watching the run. Otherwise it cancels the run. */
  isLeft?: boolean;
  /** Prints each frame as a line of JSON, and asks no questions. */
  json?: true | undefined;
  /** If false, the run's questions are not asked. */
  asks?: false;
  /** The number of the last frame that is not shown; absent to show all. */
  after?: number;
  /** The execution and step that a fork started from; absent or null if the run is no fork. */
  takenOver?: ExecutionDetail["forked_from"];
}

/** Prints a run until its end or an unanswered question, and returns the exit code. */
export async function showRun(
  context: CommandContext,
  { interrupts, isLeft = false, json, takenOver = null, ...run }: ShownRun,
): Promise<ExitCode> {
  const { app, output } = context;
  const asks = run.asks !== false && !json && hasPerson(context);
  const { code } = await watchRun({
    ...run,
    app,
    output,
    view: json
      ? jsonView(output)
      : await openTextView({ output, clock: app.clock, isTurn: false, asks, takenOver }),
    ...(!isLeft && { cancelSignal: interrupts.first }),
    leaveSignal: isLeft ? interrupts.first : interrupts.second,
    questions: asks ? "ask" : "leave",
  });
  return code;
}

/** Prints the number of a run that was started with --detach, as a sentence, a number or JSON. */
export function showAccepted(
  output: Output,
  accepted: RunAccepted,
  { json, sentence }: { json: true | undefined; sentence: (id: number) => string },
): void {
  const { execution_id: id } = accepted;
  if (json) return output.json(accepted);
  if (output.quiet) return output.line(String(id));
  output.sentence(
    `${sentence(id)}. "inkling watch ${id}" follows it, "inkling cancel ${id}" cancels it`,
  );
}
