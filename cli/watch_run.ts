// Showing a run to the person who started it, and cancelling it when they press Ctrl+C.
import { type Client, ServiceUnreachable, type StreamFrame } from "../server/client.ts";
import type { ExecutionSummary } from "../server/schemas.ts";
import type { CliApp } from "./app.ts";
import { EXIT, type ExitCode, exitCodeOf, Interrupted } from "./exit.ts";
import { followExecution } from "./follow.ts";
import { type FramePiece, FrameRenderer } from "./output/frames.ts";
import type { Output } from "./output/output.ts";
import { sanitise, toOneLine } from "./output/sanitise.ts";

/** How long a cancelled run may take to end before the command leaves it alone. */
const CANCEL_MS = 15_000;

/** A run that is watched. */
export interface WatchedRun {
  app: CliApp;
  output: Output;
  client: Client;
  executionId: number;
  /** Aborts at the first Ctrl+C: the run is cancelled and followed to its end. */
  cancelSignal: AbortSignal;
  /** Aborts at the second one: the command ends at once. */
  leaveSignal: AbortSignal;
  /** Shows the frames' payloads, one on each line, instead of text. */
  json: boolean;
}

/**
 * Follows a run to its end; the exit code tells it. On a terminal everything is shown on standard output; elsewhere only
 * the answer goes there and the steps to standard error.
 */
export async function watchRun(run: WatchedRun): Promise<ExitCode> {
  const { app, client, executionId, cancelSignal } = run;
  const leave = new AbortController();
  const onCancel = () => void cancel(run, leave);
  if (cancelSignal.aborted) onCancel();
  else cancelSignal.addEventListener("abort", onCancel, { once: true });
  const show = run.json ? showJson(run.output) : showText(run.output);
  let code: ExitCode = EXIT.failed;
  try {
    const frames = followExecution(client, executionId, {
      clock: app.clock,
      signal: AbortSignal.any([leave.signal, run.leaveSignal]),
      onLost: () => run.output.note("The service is gone: waiting for it to come back"),
    });
    for await (const frame of frames) {
      show(frame);
      if (frame.event === "waiting") code = EXIT.waiting;
      if (frame.event === "complete") code = exitCodeOf(statusOf(frame));
    }
  } finally {
    cancelSignal.removeEventListener("abort", onCancel);
    leave.abort();
  }
  return cancelSignal.aborted ? EXIT.interrupted : code;
}

function statusOf(frame: StreamFrame): ExecutionSummary["status"] {
  return frame.payload["status"] as ExecutionSummary["status"];
}

/** Asks the service to cancel the run; gives up on waiting for its end after a while, or when it cannot be asked. */
async function cancel(run: WatchedRun, leave: AbortController): Promise<void> {
  const { app, output, client, executionId } = run;
  output.note(`Cancelling execution ${executionId}. Ctrl+C again leaves it behind`);
  try {
    await client.cancel(executionId);
    await app.clock.sleep(CANCEL_MS, leave.signal);
    output.error(`Execution ${executionId} has not ended yet: inkling logs -e ${executionId}`);
  } catch (error) {
    // The run has ended, and with it the wait.
    if (leave.signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    output.error(
      error instanceof ServiceUnreachable
        ? `Execution ${executionId} could not be cancelled: the service does not answer`
        : `Execution ${executionId} could not be cancelled: ${reason}`,
    );
  }
  leave.abort(new Interrupted());
}

function showJson(output: Output): (frame: StreamFrame) => void {
  return ({ data }) => output.jsonLine(data);
}

function showText(output: Output): (frame: StreamFrame) => void {
  const { isTerminal } = output.stdout;
  const renderer = new FrameRenderer({
    style: isTerminal ? output.style : output.errorStyle,
    columns: isTerminal ? output.stdout.columns : output.stderr.columns,
    verbose: output.verbose,
  });
  const showPiece = ({ kind, text }: FramePiece) => {
    switch (kind) {
      case "step":
        if (output.quiet) return;
        if (isTerminal) output.line(text);
        else output.errorLine(text);
        return;
      case "answer":
        // Between steps on a terminal the answer stands apart; in a file it is the file.
        output.line(isTerminal && !output.quiet ? `\n${text}\n` : text);
        return;
      case "failure":
        output.error(text);
        return;
      default:
        return kind satisfies never;
    }
  };
  return (frame) => {
    if (frame.event === "waiting") {
      const { execution_id: id, message } = frame.payload;
      const question = typeof message === "string" && message !== "" ? `: ${message}` : "";
      output.errorLine(
        sanitise(`Execution ${toOneLine(String(id))} waits for an answer${question}`),
      );
      return;
    }
    for (const piece of renderer.render(frame.payload)) showPiece(piece);
  };
}
