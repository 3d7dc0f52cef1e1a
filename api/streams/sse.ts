// The log of one execution as text/event-stream. It fetches a frame only when the reader pulls, so a slow reader costs no
// memory. The follower stops when the reader leaves.
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { identityFields, toDataLine } from "../../runtime/events/frame.ts";
import type { Execution } from "../../runtime/executions/execution.ts";
import { toTimestamp } from "../../base/clock.ts";
import type { FollowItem, Runtime } from "../../runtime/runtime.ts";
import type { Lifecycle, OpenStream, StopReason } from "./lifecycle.ts";

/** The silence after which a comment keeps the connection alive. */
const SILENCE_MS = 15_000;
/** The maximum number of characters encoded at a time, so that a slow reader has no copy of a large frame. */
const CHUNK_CHARACTERS = 64 * 1024;
/** The silence after which a stream ends while the service stops. Frames logged until then still reach the reader. */
const LAST_SILENCE_MS = 250;

/** Formats one event of a text/event-stream. `data` is one line. */
export function toEvent(event: string, data: string, id?: number): string {
  return toPieces(event, data, id).join("");
}

/** Returns the pieces of toEvent(). `data` is a separate piece, so that readers share the text of a large frame. */
function toPieces(event: string, data: string, id?: number): string[] {
  return [`event: ${event}\ndata: `, data, `\n${id === undefined ? "" : `id: ${id}\n`}\n`];
}

/**
 * Opens the stream of an execution's frames after frame `after`. It ends with `complete`, `waiting` or `shutdown`.
 * Canceling the stream ends its follower. Throws ExecutionNotFound.
 */
export async function openExecutionStream(
  id: number,
  options: { after: number; deltas: boolean; runtime: Runtime; lifecycle: Lifecycle },
): Promise<ReadableStream<Uint8Array>> {
  const { runtime, lifecycle, after, deltas } = options;
  const left = lifecycle.followers.add(id);
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

/** An item requested from the follower. */
interface RequestedItem {
  item: Promise<IteratorResult<FollowItem>>;
  /** True once the promise is settled. */
  isSettled: boolean;
}

class ExecutionStream implements OpenStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #execution: Execution;
  readonly #runtime: Runtime;
  readonly #iterator: AsyncIterator<FollowItem>;
  readonly #stop: AbortController;
  readonly #closed: () => void;
  readonly #left: (isServed: boolean) => void;
  /** True if `complete` was sent, or no frame is left to send. */
  #isServed = false;
  readonly #encoder = new TextEncoder();
  /** The remaining pieces of an event that is larger than one chunk. */
  #unsent: string[] = [];
  #next: RequestedItem | null = null;
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
    this.#closed = options.lifecycle.addStream(this);
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
      // The headers have been sent, so only a broken connection makes the reader reconnect.
      this.#logBroken(error);
      this.#release();
      throw error;
    }
  }

  /** Returns the next item, or `silence` if none arrives in time. */
  async #nextOrSilence(): Promise<IteratorResult<FollowItem> | "silence"> {
    const next = this.#next ??= this.#request();
    // Decision: no Promise.race(), because each race would stay in memory until a quiet execution continues.
    while (!next.isSettled) {
      const silence = new AbortController();
      this.#silence = silence;
      const wait = this.#ending === null ? SILENCE_MS : LAST_SILENCE_MS;
      const wasSilent = await sleepUnlessAborted(this.#runtime.clock, wait, silence.signal);
      // The wait was aborted by an item, by a stop of the service (then wait again, for less time) or by a reader that left.
      if (wasSilent || this.#stop.signal.aborted) break;
    }
    if (!next.isSettled) return "silence";
    this.#next = null;
    return await next.item;
  }

  #request(): RequestedItem {
    const requested: RequestedItem = { item: this.#iterator.next(), isSettled: false };
    const settle = () => {
      requested.isSettled = true;
      this.#silence?.abort();
    };
    requested.item.then(settle, settle);
    return requested;
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

  /** Returns the payload of an unlogged frame, with the fields common to all frames. */
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

  /** Sends one chunk of the pieces and keeps the rest for the next pull. */
  #send(controller: ReadableStreamDefaultController<Uint8Array>, pieces: string[]): void {
    let chunk = "";
    this.#unsent = [];
    for (const [index, piece] of pieces.entries()) {
      const room = CHUNK_CHARACTERS - chunk.length;
      if (piece.length > room) {
        // Does not split a surrogate pair.
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

  /** Ends the follower and all waits. Safe to call twice. */
  #release(): void {
    this.#stop.abort();
    this.#iterator.return?.().catch((error) => this.#logBroken(error));
    this.#silence?.abort();
    this.#left(this.#isServed && this.#unsent.length === 0);
    this.#closed();
  }
}
