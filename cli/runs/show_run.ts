// Shows the run of a command: as text with its questions, as JSON, or, detached, as one sentence.
import type { Client } from "../../api/client/client.ts";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import type { RunAccepted } from "../../api/schemas/run_schemas.ts";
import type { CommandContext } from "../context.ts";
import type { ExitCode } from "../exit.ts";
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
  /** True: the first Ctrl+C leaves the execution running. False: it cancels it. */
  isLeft?: boolean;
  /** Shows JSON, and asks nothing. */
  json?: true | undefined;
  /** False: its questions are left to others. */
  asks?: false;
  /** Frames up to this one are not shown. */
  after?: number;
  /** For a fork: the execution whose first steps it took over. */
  takenOver?: ExecutionDetail["forked_from"];
}

/** Shows a run to its end, or to a question that is not answered here. */
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

/** Prints that a run was accepted, for a command that does not wait for it. */
export function showAccepted(
  output: Output,
  accepted: RunAccepted,
  { json, sentence }: { json: true | undefined; sentence: (id: number) => string },
): void {
  const { execution_id: id } = accepted;
  if (json) return output.json(accepted);
  if (output.quiet) return output.line(String(id));
  output.sentence(
    `${sentence(id)}. "inkling watch ${id}" shows it, "inkling cancel ${id}" ends it`,
  );
}
