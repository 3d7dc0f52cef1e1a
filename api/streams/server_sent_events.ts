// Defines the base class of the service's streams, and formats events as text/event-stream.
import type { Lifecycle, OpenStream, StopReason } from "./lifecycle.ts";
import type { SilenceTimer, StreamWait } from "./silence_timer.ts";

/** Returns an event of a text/event-stream. `data` must be one line. */
export function toEvent(event: string, data: string, id?: number): string {
  return toPieces(event, data, id).join("");
}

/** Returns the pieces of toEvent(). `data` is a separate piece, so that readers share the text of a large frame. */
export function toPieces(event: string, data: string, id?: number): string[] {
  return [`event: ${event}\ndata: `, data, `\n${id === undefined ? "" : `id: ${id}\n`}\n`];
}

/** A stream to one reader. It produces the next chunk only when the reader pulls, and ends when the reader leaves. */
export abstract class EventStream implements OpenStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #timer: SilenceTimer;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #waiting: StreamWait | null = null;
  #remove: () => void = () => {};
  #isReleased = false;

  constructor(timer: SilenceTimer) {
    this.#timer = timer;
    timer.open();
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.pull(),
      cancel: () => this.release(),
    }, { highWaterMark: 0 });
  }

  abstract end(reason: StopReason): void;

  /** Sends one chunk or ends the stream. */
  protected abstract pull(): Promise<void>;

  /**
   * Counts the stream as open. Called last in the constructor, because a service that is stopping ends a registered stream
   * at once.
   */
  protected register(lifecycle: Lifecycle): void {
    this.#remove = lifecycle.addStream(this);
  }

  protected get isReleased(): boolean {
    return this.#isReleased;
  }

  /** Waits for `ms` milliseconds or until wake(). Returns true if the whole time has passed. */
  protected wait(ms: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting = this.#timer.wait(ms, resolve);
    return promise;
  }

  protected wake(): void {
    if (this.#waiting === null) return;
    this.#timer.drop(this.#waiting);
    this.#waiting.end(false);
    this.#waiting = null;
  }

  /** Sends a chunk, which several streams may share. */
  protected send(chunk: Uint8Array): void {
    this.#controller?.enqueue(chunk);
  }

  /** Ends the stream after the sent chunks. */
  protected finish(): void {
    this.release();
    this.#controller?.close();
  }

  /** Breaks the connection, so that the reader reconnects. */
  protected fail(error: Error): void {
    this.release();
    this.#controller?.error(error);
  }

  /** Ends all waits and stops counting the stream as open. May be called twice. */
  protected release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.wake();
    this.#timer.close();
    this.#remove();
  }
}
