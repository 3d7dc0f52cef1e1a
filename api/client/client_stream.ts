// The streams of the API as a client reads them: an execution's over as many connections as that takes, the service's over
// one. On the start-up path of every command: nothing heavy is imported.
import type { FrameEvent } from "../../runtime/events/frame.ts";
import type { JsonObject } from "../../base/json.ts";
import { ServiceUnreachable } from "./client_errors.ts";
import { parseEventStream, type ServerSentEvent } from "../../base/text/event_stream.ts";

/** One frame of an execution's stream. */
export interface StreamFrame {
  event: FrameEvent | "waiting" | "shutdown" | "delta";
  /** Null for frames that are not logged. */
  id: number | null;
  /** The line of JSON exactly as it was sent. */
  data: string;
  /** `data`, parsed. */
  payload: JsonObject;
}

/** One event of the service as a whole. */
export interface ServiceEventMessage {
  event: string;
  payload: JsonObject;
}

/** The frames of a response's body. Throws ServiceUnreachable when the connection breaks. */
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

/** Events up to and including `shutdown`. Throws ServiceUnreachable when the connection ends before. */
async function* readServiceEvents(
  response: Response,
): AsyncGenerator<ServiceEventMessage, void, void> {
  for await (const { event, data } of readEvents(response)) {
    yield { event, payload: JSON.parse(data) };
    if (event === "shutdown") return;
  }
  throw new ServiceUnreachable("The stream of events ended without a reason");
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

/** Waits before each attempt to resume a broken stream, in milliseconds. */
const RECONNECT_MS = [50, 100, 250, 500, 1_000, 2_000];
const LAST_EVENTS: ReadonlySet<string> = new Set(["complete", "waiting", "shutdown"]);

/**
 * The frames of an execution after `after`, up to and including `complete`, `waiting` or `shutdown`. A connection that
 * breaks or ends earlier is resumed after the last frame. Throws what `open` throws the first time, and later
 * ServiceUnreachable when no attempt brings a frame; and the reason of the signal when that aborts.
 */
export async function* followExecutionStream(
  id: number,
  options: {
    /** Opens the execution's stream after a frame. Rejects as the methods of Client do. */
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
      throw new ServiceUnreachable(`The stream of execution ${id} ends without a result`);
    }
    await sleep(wait, signal);
  }
}

/**
 * The events of the service from now on, up to and including `shutdown`; `onOpen` is called before the first. Throws
 * what `open` throws, ServiceUnreachable when the connection breaks, and the reason of the signal when that aborts.
 */
export async function* followServiceStream(options: {
  open: () => Promise<Response>;
  onOpen?: () => void;
  signal?: AbortSignal;
}): AsyncGenerator<ServiceEventMessage, void, void> {
  const response = await options.open();
  options.onOpen?.();
  try {
    yield* readServiceEvents(response);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error;
  }
}
