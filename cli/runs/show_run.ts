// Shows the run of a command: as text with questions, as JSON, or as one sentence for --detach.
import type { Client } from "../../api/client/client.ts";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import type { RunAccepted } from "../../api/schemas/run_schemas.ts";
import type { CommandContext } from "../context/context.ts";
import type { ExitCode } from "../context/exit.ts";
import type { Output } from "../output/output.ts";
import { jsonView } from "../output/run/run_view.ts";
import { openTextView } from "../output/run/text_view.ts";
import { hasPerson } from "../prompting/ask_person.ts";
import type { Interrupts } from "../prompting/interrupts.ts";
import { watchRun } from "./watch_run.ts";

/** The run that a command shows. */
export interface ShownRun {
  client: Client;
  executionId: number;
  interrupts: Interrupts;
  /** True: the first Ctrl+C stops watching. False: it cancels the execution. */
  isLeft?: boolean;
  /** Prints JSON and asks no questions. */
  json?: true | undefined;
  /** False: asks no questions. */
  asks?: false;
  /** Frames up to this one are not shown. */
  after?: number;
  /** The execution and step that a fork started from. */
  takenOver?: ExecutionDetail["forked_from"];
}

/** Shows a run up to its end or an unanswered question. Returns the exit code. */
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

/** Prints the accepted run for --detach. */
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
