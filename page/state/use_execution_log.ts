// The log of one execution as it grows: what is logged, what streams now, and how it continues after pauses and losses.
import { useEffect, useState } from "preact/hooks";
import type { Clock } from "../../base/clock.ts";
import { ServiceUnreachable } from "../../api/client/client_errors.ts";
import type { StreamFrame } from "../../api/client/client_stream.ts";
import { type Service, useService } from "./service_context.ts";
import type { Entry } from "./timeline.ts";
import { toSentence } from "./resource.ts";

/** An execution's log. */
export interface ExecutionLog {
  entries: readonly Entry[];
  /** The text of the reply that streams now. */
  streaming: string;
  problem: string | null;
}

const EMPTY: ExecutionLog = { entries: [], streaming: "", problem: null };
/** What comes within this time is drawn at once. */
const GATHER_MS = 60;
/** Between two looks at an execution that waits, however much happens elsewhere. */
const PAUSE_MS = 250;
/** A logged reply holds what streamed of it. */
const REPLIES: ReadonlySet<string> = new Set(["ai", "tool_call", "final_answer", "complete"]);

/** Follows an execution from its first frame. */
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
 * Reads to the end of the execution, through its pauses, losses of the service, and times when nobody sees the page.
 * Returns when the signal aborts.
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
        log.take(frame);
        if (frame.event === "complete") return;
      }
    } catch (error) {
      if (signal.aborted) return;
      const isExpected = sight.signal.aborted || error instanceof ServiceUnreachable;
      if (!isExpected) return log.stop(toSentence(error));
      // What streamed is lost; the frame that holds it is not.
      log.stop();
    } finally {
      sight.end();
    }
    if (sight.signal.aborted) continue;
    // It waits for a person, or nobody answers: something will happen before there is more.
    await clock.sleep(PAUSE_MS, signal).catch(() => {
      // The loop sees that it is over.
    });
    await link.changeSince(version, { topic: "executions", signal });
  }
}

/** What is known of a log, and when it is drawn. */
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

  /** Of the last logged frame; 0 before the first. */
  get lastId(): number {
    return this.#entries.at(-1)?.id ?? 0;
  }

  take({ event, id, payload }: StreamFrame): void {
    if (event === "delta") {
      const content = String(payload["content"] ?? "");
      this.#streaming = payload["restart"] === true ? content : this.#streaming + content;
    } else {
      if (id !== null) this.#entries.push({ id, payload });
      if (id === null || REPLIES.has(event)) this.#streaming = "";
    }
    this.#draw();
  }

  /** Nothing streams any more; `problem`: nothing more will be known. */
  stop(problem: string | null = null): void {
    if (problem === null) this.#streaming = "";
    else this.#problem = problem;
    this.#draw();
  }

  #draw(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    const { clock, signal, onDraw } = this.#options;
    clock.sleep(GATHER_MS, signal).then(() => {
      this.#isDrawing = false;
      // The same list where nothing was added: whoever made something of it need not make it again.
      const isSame = this.#drawn.entries.length === this.#entries.length;
      const entries = isSame ? this.#drawn.entries : [...this.#entries];
      this.#drawn = { entries, streaming: this.#streaming, problem: this.#problem };
      onDraw(this.#drawn);
    }, () => {
      // Nobody looks any more.
    });
  }
}

// Whether anybody sees the page. A browser opens six connections to one place, for all its pages together: a page in the
// background keeps none that it can do without.

/** Resolves when the page is in sight, and when the signal aborts. */
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

/** A signal that aborts when the page goes out of sight or `signal` aborts; `end` it when it is needed no more. */
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
