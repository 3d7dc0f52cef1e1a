// The log of one execution as text/event-stream. Frames are fetched when the reader asks for the next bytes, so a slow
// reader costs no memory; a reader that leaves stops the follower.
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { identityFields, toDataLine } from "../../runtime/events/frame.ts";
import type { Execution } from "../../runtime/executions/execution.ts";
import { toTimestamp } from "../../base/clock.ts";
import type { FollowItem, Runtime } from "../../runtime/runtime.ts";
import type { Lifecycle, OpenStream, StopReason } from "../lifecycle.ts";

/** Silence after which a comment is sent, so that neither side takes the connection for dead. */
const SILENCE_MS = 15_000;
/** The most characters that are encoded at a time: a reader that does not read holds no copy of a large frame. */
const CHUNK_CHARACTERS = 64 * 1024;
/** Silence after which a stream ends once the service stops: what is logged by then still reaches its reader. */
const LAST_SILENCE_MS = 250;

/** One event as it goes over the wire. `data` is one line. */
export function toEvent(event: string, data: string, id?: number): string {
  return toPieces(event, data, id).join("");
}

/** The same, with `data` as a piece of its own: joined, a large frame would be copied for each of its readers. */
function toPieces(event: string, data: string, id?: number): string[] {
  return [`event: ${event}\ndata: `, data, `\n${id === undefined ? "" : `id: ${id}\n`}\n`];
}

/**
 * Replays and follows an execution after frame `after`, to `complete`, `waiting` or the end of the service. Throws
 * ExecutionNotFound before there is a stream. Cancelling the stream ends the follower.
 */
export async function openExecutionStream(
  id: number,
  options: { after: number; deltas: boolean; runtime: Runtime; lifecycle: Lifecycle },
): Promise<ReadableStream<Uint8Array>> {
  const { runtime, lifecycle, after, deltas } = options;
  const left = lifecycle.followers.came(id);
  try {
    const execution = await runtime.getExecution(id);
    const stop = new AbortController();
    const items = await runtime.follow(id, { after, deltas, signal: stop.signal });
    return new ExecutionStream({ ...options, execution, items, stop, left }).body;
  } catch (error) {
    left(false);
    throw error;
  }
}

/** An item that the follower was asked for. */
interface AskedItem {
  item: Promise<IteratorResult<FollowItem>>;
  /** Whether it has come, or failed to. */
  isThere: boolean;
}

class ExecutionStream implements OpenStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #execution: Execution;
  readonly #runtime: Runtime;
  readonly #iterator: AsyncIterator<FollowItem>;
  readonly #stop: AbortController;
  readonly #closed: () => void;
  readonly #left: (isServed: boolean) => void;
  /** Whether `complete` was sent, or nothing is left to send. */
  #isServed = false;
  readonly #encoder = new TextEncoder();
  /** The rest of an event that does not fit one chunk, in pieces. */
  #unsent: string[] = [];
  #next: AskedItem | null = null;
  #silence: AbortController | null = null;
  #ending: StopReason | null = null;

  constructor(options: {
    execution: Execution;
    items: AsyncIterable<FollowItem>;
    stop: AbortController;
    runtime: Runtime;
    lifecycle: Lifecycle;
    left: (isServed: boolean) => void;
  }) {
    this.#execution = options.execution;
    this.#runtime = options.runtime;
    this.#iterator = options.items[Symbol.asyncIterator]();
    this.#stop = options.stop;
    this.#left = options.left;
    this.body = new ReadableStream<Uint8Array>({
      pull: (controller) => this.#pull(controller),
      cancel: () => this.#release(),
    }, { highWaterMark: 0 });
    this.#closed = options.lifecycle.streamOpened(this);
  }

  end(reason: StopReason): void {
    this.#ending = reason;
    this.#silence?.abort();
  }

  /** Provides exactly one chunk, or closes. */
  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      if (this.#unsent.length > 0) return this.#send(controller, this.#unsent);
      const item = await this.#nextOrSilence();
      if (this.#stop.signal.aborted) return;
      if (item === "silence" && this.#ending === null) {
        this.#send(controller, [": keep-alive\n\n"]);
      } else if (item === "silence") {
        this.#send(controller, toPieces("shutdown", this.#shutdownPayload()));
        this.#close(controller);
      } else if (item.done) {
        this.#isServed = true;
        this.#close(controller);
      } else {
        this.#isServed = item.value.type === "frame" && item.value.frame.event === "complete";
        this.#send(controller, this.#itemPieces(item.value));
      }
    } catch (error) {
      // The headers are gone: breaking the connection is the only way left to make the reader reconnect.
      this.#logBroken(error);
      this.#release();
      throw error;
    }
  }

  /** The next item, or `silence` when none came for as long as it may take. */
  async #nextOrSilence(): Promise<IteratorResult<FollowItem> | "silence"> {
    const next = this.#next ??= this.#ask();
    // Not a race with the promise of the item: each one would stay with it until a quiet execution continues.
    while (!next.isThere) {
      const silence = new AbortController();
      this.#silence = silence;
      const wait = this.#ending === null ? SILENCE_MS : LAST_SILENCE_MS;
      const wasSilent = await sleepUnlessAborted(this.#runtime.clock, wait, silence.signal);
      // Else woken: by an item, by the service, which began to stop (wait again, shorter), or by a reader who left (the caller looks).
      if (wasSilent || this.#stop.signal.aborted) break;
    }
    if (!next.isThere) return "silence";
    this.#next = null;
    return await next.item;
  }

  #ask(): AskedItem {
    const asked: AskedItem = { item: this.#iterator.next(), isThere: false };
    const arrive = () => {
      asked.isThere = true;
      this.#silence?.abort();
    };
    asked.item.then(arrive, arrive);
    return asked;
  }

  #itemPieces(item: FollowItem): string[] {
    switch (item.type) {
      case "frame":
        return toPieces(item.frame.event, item.frame.payload, item.frame.id);
      case "delta":
        return toPieces("delta", this.#deltaPayload(item));
      case "waiting":
        return toPieces("waiting", toDataLine(item.payload));
      default:
        return item satisfies never;
    }
  }

  #deltaPayload({ content, restart }: FollowItem & { type: "delta" }): string {
    return this.#payload("delta", content, { content, ...(restart && { restart }) });
  }

  #shutdownPayload(): string {
    const message = "The service is shutting down";
    return this.#payload("shutdown", message, { reason: this.#ending });
  }

  /** A payload of a frame that is not logged, with the fields that every frame has. */
  #payload(eventType: string, message: string, fields: Record<string, unknown>): string {
    const { id: executionId, agentId, displayName } = this.#execution;
    return toDataLine(JSON.stringify({
      event_type: eventType,
      ...identityFields({ executionId, agentId, displayName }),
      timestamp: toTimestamp(this.#runtime.clock.now()),
      message,
      ...fields,
    }));
  }

  #logBroken(error: unknown): void {
    this.#runtime.log.write("error", "A stream broke", { execution: this.#execution.id, error });
  }

  /** Sends as much as a chunk may hold; the rest is sent before anything else. */
  #send(controller: ReadableStreamDefaultController<Uint8Array>, pieces: string[]): void {
    let chunk = "";
    this.#unsent = [];
    for (const [index, piece] of pieces.entries()) {
      const room = CHUNK_CHARACTERS - chunk.length;
      if (piece.length > room) {
        // The two halves of one character stay together.
        const isSplit = /[\uD800-\uDBFF]/.test(piece.charAt(room - 1));
        const end = isSplit ? room - 1 : room;
        chunk += piece.slice(0, end);
        this.#unsent = [piece.slice(end), ...pieces.slice(index + 1)];
        break;
      }
      chunk += piece;
    }
    controller.enqueue(this.#encoder.encode(chunk));
  }

  #close(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#release();
    controller.close();
  }

  /** Lets go of the follower, whether it waits for a frame or stands at one. Safe to repeat. */
  #release(): void {
    this.#stop.abort();
    this.#iterator.return?.().catch((error) => this.#logBroken(error));
    this.#silence?.abort();
    this.#left(this.#isServed && this.#unsent.length === 0);
    this.#closed();
  }
}
