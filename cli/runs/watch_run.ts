// Showing a run to the person who started it, asking them its questions, and cancelling it when they press Ctrl+C.
import {
  ApiError,
  type Client,
  ServiceUnreachable,
  type StreamFrame,
} from "../../api/client/client.ts";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { toLabelWords } from "../../base/text/label_words.ts";
import type { ExecutionSummary } from "../../api/schemas/execution_schemas.ts";
import type { Clock } from "../app.ts";
import { CommandFailure, EXIT, type ExitCode, exitCodeOf, Interrupted } from "../exit.ts";
import { whileMoving } from "../prompting/terminal_signals.ts";
import type { RunView } from "../output/run/run_view.ts";
import { AnsweredElsewhere, askWhileOpen } from "./ask_while_open.ts";
import { type CancellableRun, RunCancellation } from "./run_cancellation.ts";

/** Between two looks at a run whose question is gone but which does not continue yet. */
const RECHECK_MS = 100;
/** Before the first look whether a run waits for a node, between two while it does, and between two while it does not. */
const NODE_LOOK_MS = 2_000;
const RARE_NODE_LOOK_MS = 30_000;

/** A run that is watched, and how. */
export interface WatchedRun extends CancellableRun {
  view: RunView;
  /** Frames up to this one are not shown. */
  after?: number;
  /** Aborts when a person wants it cancelled; it is followed to its end then. Absent: Ctrl+C at a question throws Interrupted. */
  cancelSignal?: AbortSignal;
  /** Aborts when a person wants to see no more of it. */
  leaveSignal: AbortSignal;
  /** Keeps keys that are pressed meanwhile for the next prompt, unseen: they would break what moves. */
  mutesKeys?: boolean;
  /** What becomes of a question: it is left; it is asked, and may be put aside; it is asked until it is answered. */
  questions: "leave" | "ask" | "insist";
}

/** How a run stands when it is no longer watched. */
export interface RunOutcome {
  code: ExitCode;
  totalTokens: number;
  costUsd: number | null;
}

/** Follows a run to its end, or to a question that is not answered here. */
export async function watchRun(run: WatchedRun): Promise<RunOutcome> {
  using cancellation = new RunCancellation(run);
  const onCancel = () => cancellation.request();
  if (run.cancelSignal?.aborted) onCancel();
  else run.cancelSignal?.addEventListener("abort", onCancel, { once: true });
  try {
    return await new Watch(run, cancellation).follow();
  } finally {
    run.cancelSignal?.removeEventListener("abort", onCancel);
  }
}

class Watch {
  readonly #run: WatchedRun;
  readonly #cancellation: RunCancellation;
  readonly #signal: AbortSignal;
  #after: number;

  constructor(run: WatchedRun, cancellation: RunCancellation) {
    this.#run = run;
    this.#cancellation = cancellation;
    this.#after = run.after ?? 0;
    this.#signal = AbortSignal.any([cancellation.signal, run.leaveSignal]);
  }

  async follow(): Promise<RunOutcome> {
    for (;;) {
      const last = await this.#followOn();
      if (last?.event === "complete") return this.#toOutcome(last);
      if (this.#cancellation.isRequested) {
        // It came to its question before the cancellation came to it.
        await this.#pause();
      } else if (last?.event !== "waiting") {
        return { code: EXIT.failed, totalTokens: 0, costUsd: null };
      } else if (this.#run.questions === "leave" || !(await this.#answer())) {
        this.#run.view.show(last);
        return { code: EXIT.waiting, totalTokens: 0, costUsd: null };
      }
    }
  }

  /** Shows what happens up to the end or the next question, and returns that frame. */
  async #followOn(): Promise<StreamFrame | undefined> {
    const { app, client, executionId, output, view } = this.#run;
    const frames = followExecution(client, executionId, {
      clock: app.clock,
      signal: this.#signal,
      after: this.#after,
      deltas: view.streams,
      onLost: () => output.note("The service is gone: waiting for it to come back"),
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
    const looking = this.#tellNodeWait(AbortSignal.any([this.#signal, over.signal]));
    try {
      for await (const frame of frames) {
        last = frame;
        if (frame.id !== null) this.#after = frame.id;
        if (frame.event !== "waiting") view.show(frame);
      }
    } finally {
      over.abort();
      await looking;
      view.rest();
    }
    return last;
  }

  /** Says what a run waits for that no living node may run: nothing comes of it meanwhile. Ends with the signal. */
  async #tellNodeWait(signal: AbortSignal): Promise<void> {
    const { app: { clock }, client, executionId, output, view } = this.#run;
    let told = "";
    let ms = NODE_LOOK_MS;
    while (await sleepUnlessAborted(clock, ms, signal)) {
      try {
        const { waits_for_labels: labels } = await client.execution(executionId, { signal });
        const wait = labels === undefined ? "" : `for a node with ${toLabelWords(labels)}`;
        if (wait !== told) {
          if (wait !== "") output.note(`Execution ${executionId} waits ${wait}`);
          view.wait(wait === "" ? undefined : `Waiting ${wait}`);
        }
        told = wait;
        ms = wait === "" ? RARE_NODE_LOOK_MS : NODE_LOOK_MS;
      } catch {
        // Whoever follows the run finds out what is the matter with the service.
      }
    }
  }

  #toOutcome({ payload }: StreamFrame): RunOutcome {
    const { status, total_tokens: tokens, cost_usd: cost } = payload;
    return {
      code: this.#cancellation.isRequested
        ? EXIT.interrupted
        : exitCodeOf(status as ExecutionSummary["status"]),
      totalTokens: typeof tokens === "number" ? tokens : 0,
      costUsd: typeof cost === "number" ? cost : null,
    };
  }

  /** Asks the open question; false when the person puts it aside. */
  async #answer(): Promise<boolean> {
    const { app, output, client, executionId, cancelSignal, questions } = this.#run;
    const signal = AbortSignal.any([this.#signal, ...(cancelSignal ? [cancelSignal] : [])]);
    try {
      const pending = { ...await client.pending(executionId), execution_id: executionId };
      if (await askWhileOpen(pending, { app, output, client, signal })) return true;
      if (questions === "insist") output.note("It waits for an answer. Ctrl+C cancels it");
      return questions === "insist";
    } catch (error) {
      if (error instanceof Interrupted) {
        if (cancelSignal === undefined) throw error;
        this.#cancellation.request();
        return true;
      }
      if (error instanceof AnsweredElsewhere) output.note(error.message);
      else if (error instanceof ApiError && error.status === 409) output.error(error.message);
      else if (!(error instanceof ApiError && error.status === 404)) throw error;
      // It goes on, or ends, in a moment.
      await this.#pause();
      return true;
    }
  }

  #pause(): Promise<void> {
    return this.#run.app.clock.sleep(RECHECK_MS, this.#signal);
  }
}

const RETRY_MS = 500;
/** How long a service may be gone before the command gives up on it. */
const GONE_MS = 15_000;

/**
 * The frames of an execution behind `after`, up to `complete` or `waiting`, each once. When the service goes down it is
 * waited for; throws CommandFailure when it does not come back, and the reason of the signal.
 */
async function* followExecution(
  client: Client,
  id: number,
  options: {
    clock: Clock;
    signal: AbortSignal;
    after?: number;
    /** Whether replies are wanted as they come, too. */
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
        `The service went down while execution ${id} was running, and has not come back. ` +
          `Start it with "inkling start -d"; "inkling logs -e ${id}" shows how far it came`,
      );
    }
    await clock.sleep(RETRY_MS, signal);
  }
}
