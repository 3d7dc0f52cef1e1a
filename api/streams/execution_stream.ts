// Streams the log of an execution as text/event-stream. A frame is fetched only when the reader pulls, so a slow reader
// needs no memory for its unread frames. The follower stops when the reader leaves.
import {
  type Frame,
  type FrameIdentity,
  identityFields,
  toDataLine,
} from "../../runtime/events/frame.ts";
import { NO_LONGER_NEEDED, toTimestamp } from "../../base/clock.ts";
import type { FollowItem, Runtime } from "../../runtime/interface/runtime.ts";
import type { Lifecycle, StopReason } from "./lifecycle.ts";
import { EventStream, toEvent, toPieces } from "./server_sent_events.ts";

/** The milliseconds of silence after which a comment keeps the connection alive. */
const SILENCE_MS = 15_000;
/**
 * The maximum number of characters encoded at a time, so that a slow reader does not keep an encoded copy of a large frame.
 */
const CHUNK_CHARACTERS = 64 * 1024;
/** The maximum length of a payload whose encoded frame is kept for all followers. */
const SHARED_CHARACTERS = 16 * 1024;
const encoder = new TextEncoder();
/** The encoded frames. Followers at the same position have the same frame. */
const chunks = new WeakMap<Frame, Uint8Array>();
/**
 * The milliseconds of silence after which a stream ends while the service stops. Until then, the last frames reach the
 * reader.
 */
const LAST_SILENCE_MS = 250;

/**
 * Returns the stream of an execution's frames after frame `after`, or null if that is the `complete` frame. The stream ends
 * with `complete`, `waiting` or `shutdown`. Canceling it ends its follower. Throws ExecutionNotFound.
 */
export async function openExecutionStream(
  id: number,
  options: { after: number; deltas: boolean; runtime: Runtime; lifecycle: Lifecycle },
): Promise<ReadableStream<Uint8Array> | null> {
  const { runtime, lifecycle, after, deltas } = options;
  const left = lifecycle.followers.add(id);
  try {
    const stop = new AbortController();
    const followed = await runtime.follow(id, { after, deltas, signal: stop.signal });
    if (!followed.isOver) return new ExecutionStream({ ...options, ...followed, stop, left }).body;
    left(false);
    return null;
  } catch (error) {
    left(false);
    throw error;
  }
}

/** An item requested from the follower. */
interface RequestedItem {
  item: Promise<IteratorResult<FollowItem>>;
  /** True when the promise has settled. */
  isSettled: boolean;
}

class ExecutionStream extends EventStream {
  readonly #identity: FrameIdentity;
  readonly #runtime: Runtime;
  readonly #iterator: AsyncIterator<FollowItem>;
  readonly #stop: AbortController;
  readonly #left: (isServed: boolean) => void;
  /** True if `complete` was sent, or no frame is left to send. */
  #isServed = false;
  /** The remaining pieces of an event that is larger than one chunk. */
  #unsent: string[] = [];
  #next: RequestedItem | null = null;
  #ending: StopReason | null = null;

  constructor(options: {
    identity: FrameIdentity;
    items: AsyncIterable<FollowItem>;
    stop: AbortController;
    runtime: Runtime;
    lifecycle: Lifecycle;
    left: (isServed: boolean) => void;
  }) {
    super(options.lifecycle.silence);
    this.#identity = options.identity;
    this.#runtime = options.runtime;
    this.#iterator = options.items[Symbol.asyncIterator]();
    this.#stop = options.stop;
    this.#left = options.left;
    this.register(options.lifecycle);
  }

  override end(reason: StopReason): void {
    this.#ending = reason;
    this.wake();
  }

  protected override async pull(): Promise<void> {
    try {
      if (this.#unsent.length > 0) return this.#sendPieces(this.#unsent);
      const next = await this.#nextOrSilence();
      if (this.isReleased) return;
      if (next === "silence") return this.#breakSilence();
      if (next.done) {
        this.#isServed = true;
        return this.finish();
      }
      const item = next.value;
      this.#isServed = item.type === "frame" && item.frame.event === "complete";
      switch (item.type) {
        case "frame":
          return this.#sendFrame(item.frame);
        case "delta": {
          const { content, restart } = item;
          const fields = { content, ...(restart && { restart }) };
          return this.#sendPieces(toPieces("delta", this.#payload("delta", content, fields)));
        }
        case "waiting":
          return this.#sendPieces(toPieces("waiting", toDataLine(item.payload)));
        default:
          return item satisfies never;
      }
    } catch (error) {
      // Break the connection, so that the reader reconnects: the headers were sent, so no status can report the error.
      this.#logBroken(error);
      this.release();
      throw error;
    }
  }

  /** Returns the next item, or `silence` if none arrives in time. */
  async #nextOrSilence(): Promise<IteratorResult<FollowItem> | "silence"> {
    if (this.#next === null) {
      const requested: RequestedItem = { item: this.#iterator.next(), isSettled: false };
      this.#next = requested;
      const settle = () => {
        requested.isSettled = true;
        this.wake();
      };
      requested.item.then(settle, settle);
    }
    const next = this.#next;
    // Decision: no Promise.race(), because each race would keep memory until a frame of the execution arrives.
    while (!next.isSettled) {
      const wasSilent = await this.wait(this.#ending === null ? SILENCE_MS : LAST_SILENCE_MS);
      // Otherwise the wait ended because an item arrived, the reader left, or the service began to stop. After a stop
      // began, wait again for a shorter time.
      if (wasSilent || this.isReleased) break;
    }
    if (!next.isSettled) return "silence";
    this.#next = null;
    return await next.item;
  }

  /** Sends a comment, or the event `shutdown` if the service stops. */
  #breakSilence(): void {
    if (this.#ending === null) return this.#sendPieces([": keep-alive\n\n"]);
    const message = "The service is shutting down";
    const payload = this.#payload("shutdown", message, { reason: this.#ending });
    this.#sendPieces(toPieces("shutdown", payload));
    this.finish();
  }

  #sendFrame(frame: Frame): void {
    const { event, payload, id } = frame;
    if (payload.length > SHARED_CHARACTERS) return this.#sendPieces(toPieces(event, payload, id));
    let chunk = chunks.get(frame);
    if (chunk === undefined) {
      chunk = encoder.encode(toEvent(event, payload, id));
      chunks.set(frame, chunk);
    }
    this.send(chunk);
  }

  /** Returns the payload of an unlogged frame, with the fields common to all frames. */
  #payload(eventType: string, message: string, fields: Record<string, unknown>): string {
    return toDataLine(JSON.stringify({
      event_type: eventType,
      ...identityFields(this.#identity),
      timestamp: toTimestamp(this.#runtime.clock.now()),
      message,
      ...fields,
    }));
  }

  #logBroken(error: unknown): void {
    this.#runtime.log.write("error", "A stream broke", {
      execution: this.#identity.executionId,
      error,
    });
  }

  /** Sends one chunk of the pieces and keeps the rest for the next pull. */
  #sendPieces(pieces: string[]): void {
    let chunk = "";
    this.#unsent = [];
    for (const [index, piece] of pieces.entries()) {
      const room = CHUNK_CHARACTERS - chunk.length;
      if (piece.length > room) {
        // Do not split a surrogate pair.
        const isSplit = /[\uD800-\uDBFF]/.test(piece.charAt(room - 1));
        const end = isSplit ? room - 1 : room;
        chunk += piece.slice(0, end);
        this.#unsent = [piece.slice(end), ...pieces.slice(index + 1)];
        break;
      }
      chunk += piece;
    }
    this.send(encoder.encode(chunk));
  }

  protected override release(): void {
    if (this.isReleased) return;
    this.#stop.abort(NO_LONGER_NEEDED);
    this.#iterator.return?.().catch((error) => this.#logBroken(error));
    this.#left(this.#isServed && this.#unsent.length === 0);
    super.release();
  }
}
