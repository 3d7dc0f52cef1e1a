// Provides the live log of an execution: its frames and the streaming text. Reconnects after waits of the execution and
// after lost connections.
import { useEffect, useState } from "preact/hooks";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
import { ServiceUnreachable } from "../../api/client/client_errors.ts";
import type { StreamFrame } from "../../api/client/client_stream.ts";
import { type Service, useService } from "./service_context.ts";
import type { Entry } from "./timeline.ts";
import { errorMessage } from "./resource.ts";

/** The log of an execution as shown by a view. */
export interface ExecutionLog {
  entries: readonly Entry[];
  /** The text of the reply that is streaming; empty between replies. */
  streaming: string;
  problem: string | null;
}

const EMPTY: ExecutionLog = { entries: [], streaming: "", problem: null };
/** The milliseconds within which frames are rendered together. */
const BATCH_MS = 60;
/** The minimum milliseconds between two requests for a waiting execution. */
const PAUSE_MS = 250;
/** The events whose frames contain the text that was streamed before them. */
const REPLIES: ReadonlySet<string> = new Set(["ai", "tool_call", "final_answer", "complete"]);

/** Follows an execution from its first frame, and returns the log that was received so far. */
export function useExecutionLog(id: number): ExecutionLog {
  const { client, clock, link } = useService();
  const [log, setLog] = useState<ExecutionLog>(EMPTY);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    setLog(EMPTY);
    const growing = new GrowingLog({ clock, signal, onDraw: setLog });
    followToEnd(id, growing, { client, clock, link, signal });
    return () => stop.abort();
  }, [id, client, clock, link]);
  return log;
}

/**
 * Reads the frames until the execution has ended or the signal aborts. Continues after waits of the execution, lost
 * connections, and times when the page is hidden.
 */
async function followToEnd(
  id: number,
  log: GrowingLog,
  { client, clock, link, signal }: Omit<Service, "announce"> & { signal: AbortSignal },
): Promise<void> {
  for (;;) {
    await untilVisible(signal);
    if (signal.aborted) return;
    const sight = whileVisible(signal);
    const version = link.version("executions");
    try {
      const options = { after: log.lastId, deltas: true, signal: sight.signal };
      for await (const frame of client.follow(id, options)) {
        log.add(frame);
        if (frame.event === "complete") return;
      }
    } catch (error) {
      if (signal.aborted) return;
      const isExpected = sight.signal.aborted || error instanceof ServiceUnreachable;
      if (!isExpected) return log.stop(errorMessage(error));
      // Discard the streamed text; a later frame contains it.
      log.stop();
    } finally {
      sight.end();
    }
    if (sight.signal.aborted) continue;
    // The execution waits or the service is unreachable. The page's connection reports the end of either state, so wait for
    // that report, but for PAUSE_MS at least.
    await sleepUnlessAborted(clock, PAUSE_MS, signal);
    await link.changeSince(version, { topic: "executions", signal });
  }
}

/** A log that grows and reports its changes in batches. */
class GrowingLog {
  readonly #entries: Entry[] = [];
  readonly #options: { clock: Clock; signal: AbortSignal; onDraw: (log: ExecutionLog) => void };
  #drawn = EMPTY;
  #streaming = "";
  #problem: string | null = null;
  #isDrawing = false;

  constructor(
    options: { clock: Clock; signal: AbortSignal; onDraw: (log: ExecutionLog) => void },
  ) {
    this.#options = options;
  }

  /** The id of the last stored frame; 0 before the first. */
  get lastId(): number {
    return this.#entries.at(-1)?.id ?? 0;
  }

  add({ event, id, payload }: StreamFrame): void {
    if (event === "delta") {
      const content = String(payload["content"] ?? "");
      this.#streaming = payload["restart"] === true ? content : this.#streaming + content;
    } else {
      if (id !== null) this.#entries.push({ id, payload });
      if (id === null || REPLIES.has(event)) this.#streaming = "";
    }
    this.#draw();
  }

  /** Discards the streaming text. With a problem, also ends the log and reports the problem. */
  stop(problem: string | null = null): void {
    if (problem === null) this.#streaming = "";
    else this.#problem = problem;
    this.#draw();
  }

  #draw(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    const { clock, signal, onDraw } = this.#options;
    sleepUnlessAborted(clock, BATCH_MS, signal).then((isOver) => {
      // A removed view draws nothing.
      if (!isOver) return;
      this.#isDrawing = false;
      // Reuse an unchanged list, so that memoized values stay valid.
      const isSame = this.#drawn.entries.length === this.#entries.length;
      const entries = isSame ? this.#drawn.entries : [...this.#entries];
      this.#drawn = { entries, streaming: this.#streaming, problem: this.#problem };
      onDraw(this.#drawn);
    });
  }
}

// Waits for the visibility of the page. A hidden page closes its streams, because a browser opens only six connections to
// one host for all its pages.

/** Resolves when the page is visible, or when the signal aborts. */
function untilVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden || signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const over = new AbortController();
  const check = () => {
    if (!document.hidden || signal.aborted) resolve();
  };
  document.addEventListener("visibilitychange", check, { signal: over.signal });
  signal.addEventListener("abort", check, { signal: over.signal });
  return promise.finally(() => over.abort());
}

/** Returns a signal that aborts when the page becomes hidden or `signal` aborts. `end` removes the listeners. */
function whileVisible(signal: AbortSignal): { signal: AbortSignal; end: () => void } {
  const hidden = new AbortController();
  const over = new AbortController();
  const check = () => {
    if (document.hidden) hidden.abort();
  };
  document.addEventListener("visibilitychange", check, { signal: over.signal });
  check();
  return { signal: AbortSignal.any([signal, hidden.signal]), end: () => over.abort() };
}
