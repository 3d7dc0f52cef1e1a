// Watches a run at the terminal: shows its frames, asks its questions, and cancels it at Ctrl+C.
import {
  ApiError,
  type Client,
  ServiceUnreachable,
  type StreamFrame,
} from "../../api/client/client.ts";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { toLabelWords } from "../../base/text/label_words.ts";
import type { CliApp, Clock } from "../context/app.ts";
import { CommandFailure, EXIT, type ExitCode, Interrupted } from "../context/exit.ts";
import type { Output } from "../output/output.ts";
import { whileMoving } from "../prompting/terminal_signals.ts";
import type { RunView } from "../output/run/text_view.ts";
import { AnsweredElsewhere, askWhileOpen } from "./ask_while_open.ts";

/** The maximum wait for the end of a cancelled run. */
const CANCEL_MS = 15_000;
/** The interval of the checks of a run whose question was answered, until the run continues. */
const RECHECK_MS = 100;
/**
 * The intervals of the checks whether the run waits for a node. The short interval applies to the first check and while the
 * run waits.
 */
const NODE_CHECK_MS = 2_000;
const RARE_NODE_CHECK_MS = 30_000;

/** The run to watch, and the signals and settings of the watch. */
export interface WatchedRun {
  app: CliApp;
  output: Output;
  client: Client;
  executionId: number;
  view: RunView;
  /** The number of the last frame that is not shown; absent to show all. */
  after?: number;
  /**
   * Cancels the run when it aborts. The watch continues until the run ends. If absent, Ctrl+C at a question throws
   * Interrupted.
   */
  cancelSignal?: AbortSignal;
  /** Ends the watch, but not the run, when it aborts. */
  leaveSignal: AbortSignal;
  /**
   * If true, pressed keys are not shown, but kept for the next prompt. The terminal would otherwise print them into the
   * progress line.
   */
  mutesKeys?: boolean;
  /**
   * The treatment of the run's questions. `leave`: not asked. `ask`: asked, but the user may skip them. `insist`: asked
   * until the user answers.
   */
  questions: "leave" | "ask" | "insist";
}

/** The exit code, tokens and cost of a run at the end of its watch. */
export interface RunOutcome {
  code: ExitCode;
  totalTokens: number;
  costUsd: number | null;
}

/** Shows a run until its end or an unanswered question, and returns its outcome. */
export async function watchRun(run: WatchedRun): Promise<RunOutcome> {
  using watch = new Watch(run);
  const onCancel = () => watch.cancel();
  if (run.cancelSignal?.aborted) onCancel();
  else run.cancelSignal?.addEventListener("abort", onCancel, { once: true });
  try {
    return await watch.follow();
  } finally {
    run.cancelSignal?.removeEventListener("abort", onCancel);
  }
}

class Watch implements Disposable {
  readonly #run: WatchedRun;
  /** Aborts with Interrupted if the cancelled run does not end in time, or the service refuses to cancel it. */
  readonly #over = new AbortController();
  #isCancelled = false;
  readonly #signal: AbortSignal;
  #after: number;

  constructor(run: WatchedRun) {
    this.#run = run;
    this.#after = run.after ?? 0;
    this.#signal = AbortSignal.any([this.#over.signal, run.leaveSignal]);
  }

  [Symbol.dispose](): void {
    this.#over.abort();
  }

  /**
   * Requests the cancellation from the service, and ends the watch if the run does not end in time. Further calls have no
   * effect.
   */
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    void this.#requestCancel();
  }

  async #requestCancel(): Promise<void> {
    const { app: { clock }, output, client, executionId } = this.#run;
    output.note(`Cancelling execution ${executionId}. Ctrl+C again stops waiting for it`);
    try {
      await client.cancel(executionId);
      await clock.sleep(CANCEL_MS, this.#over.signal);
      output.error(`Execution ${executionId} has not ended yet: inkling logs -e ${executionId}`);
    } catch (error) {
      // The watch was disposed because the run has ended.
      if (this.#over.signal.aborted) return;
      const reason = error instanceof ServiceUnreachable
        ? "the service does not answer"
        : error instanceof Error
        ? error.message
        : String(error);
      output.error(`Execution ${executionId} could not be cancelled: ${reason}`);
    }
    this.#over.abort(new Interrupted());
  }

  async follow(): Promise<RunOutcome> {
    for (;;) {
      const last = await this.#showFrames();
      if (last?.event === "complete") return this.#toOutcome(last);
      if (this.#isCancelled) {
        // The run asked its question before the request to cancel it arrived, so it will end soon.
        await this.#pause();
      } else if (last?.event !== "waiting") {
        return { code: EXIT.failed, totalTokens: 0, costUsd: null };
      } else if (this.#run.questions === "leave" || !(await this.#answer())) {
        this.#run.view.show(last);
        return { code: EXIT.waiting, totalTokens: 0, costUsd: null };
      }
    }
  }

  /** Shows frames until the end of the run or its next question, and returns the last frame. */
  async #showFrames(): Promise<StreamFrame | undefined> {
    const { app, client, executionId, output, view } = this.#run;
    const frames = followExecution(client, executionId, {
      clock: app.clock,
      signal: this.#signal,
      after: this.#after,
      deltas: view.streams,
      onLost: () => output.note("The service does not answer: waiting for it to return"),
    });
    let last: StreamFrame | undefined;
    using keys = this.#run.mutesKeys ? app.input.mute() : undefined;
    using _moving = output.live && whileMoving({
      onEnding() {
        view.rest();
        keys?.[Symbol.dispose]();
      },
      onReturn: () => output.live?.forget(),
    });
    view.wait();
    const over = new AbortController();
    const reporting = this.#reportNodeWait(AbortSignal.any([this.#signal, over.signal]));
    try {
      for await (const frame of frames) {
        last = frame;
        if (frame.id !== null) this.#after = frame.id;
        if (frame.event !== "waiting") view.show(frame);
      }
    } finally {
      over.abort();
      await reporting;
      view.rest();
    }
    return last;
  }

  /**
   * Prints a note when the run waits for a node, because no live node has the labels that it needs. Returns when `signal`
   * aborts.
   */
  async #reportNodeWait(signal: AbortSignal): Promise<void> {
    const { app: { clock }, client, executionId, output, view } = this.#run;
    let reported = "";
    let ms = NODE_CHECK_MS;
    while (await sleepUnlessAborted(clock, ms, signal)) {
      try {
        const { waits_for_labels: labels } = await client.execution(executionId, { signal });
        const wait = labels === undefined ? "" : `for a node with ${toLabelWords(labels)}`;
        if (wait !== reported) {
          if (wait !== "") output.note(`Execution ${executionId} waits ${wait}`);
          view.wait(wait === "" ? undefined : `Waiting ${wait}`);
        }
        reported = wait;
        ms = wait === "" ? RARE_NODE_CHECK_MS : NODE_CHECK_MS;
      } catch {
        // The failed request is ignored, because the stream of frames reports a failure of the service.
      }
    }
  }

  #toOutcome({ payload }: StreamFrame): RunOutcome {
    const { status, total_tokens: tokens, cost_usd: cost } = payload;
    return {
      code: this.#isCancelled ? EXIT.interrupted : status === "success" ? EXIT.ok : EXIT.failed,
      totalTokens: typeof tokens === "number" ? tokens : 0,
      costUsd: typeof cost === "number" ? cost : null,
    };
  }

  /** Asks the open question. Returns false if the user skips it and the watch must end. */
  async #answer(): Promise<boolean> {
    const { app, output, client, executionId, cancelSignal, questions } = this.#run;
    const signal = AbortSignal.any([this.#signal, ...(cancelSignal ? [cancelSignal] : [])]);
    try {
      const pending = { ...await client.pending(executionId), execution_id: executionId };
      if (await askWhileOpen(pending, { app, output, client, signal })) return true;
      if (questions === "insist") {
        output.note("The agent waits for your answer. Ctrl+C cancels the turn");
      }
      return questions === "insist";
    } catch (error) {
      if (error instanceof Interrupted) {
        if (cancelSignal === undefined) throw error;
        this.cancel();
        return true;
      }
      if (error instanceof AnsweredElsewhere) output.note(error.message);
      else if (error instanceof ApiError && error.status === 409) output.error(error.message);
      else if (!(error instanceof ApiError && error.status === 404)) throw error;
      // The service refused the answer, or the question is no longer open. In both cases the run continues or ends soon.
      await this.#pause();
      return true;
    }
  }

  #pause(): Promise<void> {
    return this.#run.app.clock.sleep(RECHECK_MS, this.#signal);
  }
}

const RETRY_MS = 500;
/** The maximum wait for the return of a service that stopped. */
const GONE_MS = 15_000;

/**
 * Yields each frame of an execution after the frame `after`, until a `complete` or `waiting` frame. Connects again if the
 * service stops. Throws CommandFailure if the service does not return, and the reason of an aborted signal.
 */
async function* followExecution(
  client: Client,
  id: number,
  options: {
    clock: Clock;
    signal: AbortSignal;
    after?: number;
    /** If true, the pieces of replies are requested while they stream. */
    deltas?: boolean;
    onLost?: () => void;
  },
): AsyncGenerator<StreamFrame, void, void> {
  const { clock, signal, deltas = false } = options;
  let after = options.after ?? 0;
  let lostAt: number | undefined;
  for (;;) {
    try {
      for await (const frame of client.follow(id, { after, deltas, signal })) {
        if (frame.event === "shutdown") break;
        lostAt = undefined;
        if (frame.id !== null) after = frame.id;
        yield frame;
        if (frame.event === "complete" || frame.event === "waiting") return;
      }
    } catch (error) {
      if (!(error instanceof ServiceUnreachable)) throw error;
    }
    if (lostAt === undefined) {
      lostAt = clock.now();
      options.onLost?.();
    }
    if (clock.now() - lostAt >= GONE_MS) {
      throw new CommandFailure(
        EXIT.unreachable,
        `The service stopped while execution ${id} was running, and did not return. ` +
          `Start it with "inkling start -d"; "inkling logs -e ${id}" shows the messages so far`,
      );
    }
    await clock.sleep(RETRY_MS, signal);
  }
}
