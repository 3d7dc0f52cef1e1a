// Reads the streams of the client: the frames of an execution, with reconnects, and the events of the service, over one
// connection. Every command loads this file at start-up, so it imports nothing heavy.
import type { FrameEvent } from "../../runtime/events/frame.ts";
import type { JsonObject } from "../../base/json.ts";
import { ServiceUnreachable } from "./client_errors.ts";
import { parseEventStream, type ServerSentEvent } from "../../base/text/event_stream.ts";

/** A frame of an execution's stream. */
export interface StreamFrame {
  event: FrameEvent | "waiting" | "shutdown" | "delta";
  /** The id of the frame; null for a frame that is not logged. */
  id: number | null;
  /** The payload as the JSON text that was received. */
  data: string;
  /** The parsed payload. */
  payload: JsonObject;
}

/** An event of the service's stream. */
export interface ServiceEventMessage {
  event: string;
  payload: JsonObject;
}

/** Yields the frames of a response's body. Throws ServiceUnreachable when the connection breaks. */
export async function* readFrames(response: Response): AsyncGenerator<StreamFrame, void, void> {
  for await (const { event, data, id } of readEvents(response)) {
    yield {
      event: event as StreamFrame["event"],
      id: id === undefined ? null : Number(id),
      data,
      payload: JSON.parse(data),
    };
  }
}

async function* readEvents(response: Response): AsyncGenerator<ServerSentEvent, void, void> {
  if (response.body === null) return;
  const events = parseEventStream(response.body);
  try {
    for (;;) {
      const next = await events.next().catch((cause) => {
        throw new ServiceUnreachable("The connection to the service broke", { cause });
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await events.return();
  }
}

/** The milliseconds before each reconnect. After the last reconnect, the client gives up. */
const RECONNECT_MS = [50, 100, 250, 500, 1_000, 2_000];
const LAST_EVENTS: ReadonlySet<string> = new Set(["complete", "waiting", "shutdown"]);

/**
 * Yields the frames of an execution after `after`, up to and including `complete`, `waiting` or `shutdown`. Reconnects
 * after a broken connection and resumes after the last frame. Throws the first error of `open`, ServiceUnreachable after
 * the last attempt, and the reason of an aborted signal.
 */
export async function* followExecutionStream(
  id: number,
  options: {
    /** Opens the stream after the frame with this id. Rejects with the errors of the client's methods. */
    open: (after: number) => Promise<Response>;
    sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
    after: number;
    signal?: AbortSignal;
  },
): AsyncGenerator<StreamFrame, void, void> {
  const { open, sleep, signal } = options;
  let { after } = options;
  let connected = false;
  for (let attempt = 0;;) {
    try {
      const response = await open(after);
      connected = true;
      for await (const frame of readFrames(response)) {
        attempt = 0;
        if (frame.id !== null) after = frame.id;
        yield frame;
        if (LAST_EVENTS.has(frame.event)) return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!connected || !(error instanceof ServiceUnreachable)) throw error;
      if (attempt >= RECONNECT_MS.length) throw error;
    }
    const wait = RECONNECT_MS[attempt++];
    if (wait === undefined) {
      throw new ServiceUnreachable(`The stream of execution ${id} ended without a result`);
    }
    await sleep(wait, signal);
  }
}

/**
 * Yields the service's events from now on, up to and including `shutdown`. Calls `onOpen` before the first event. Throws
 * the errors of `open`, ServiceUnreachable when the connection breaks, and the reason of an aborted signal.
 */
export async function* followServiceStream(options: {
  open: () => Promise<Response>;
  onOpen?: () => void;
  signal?: AbortSignal;
}): AsyncGenerator<ServiceEventMessage, void, void> {
  const response = await options.open();
  options.onOpen?.();
  try {
    for await (const { event, data } of readEvents(response)) {
      yield { event, payload: JSON.parse(data) };
      if (event === "shutdown") return;
    }
    throw new ServiceUnreachable("The event stream ended unexpectedly");
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error;
  }
}
