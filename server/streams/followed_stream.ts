// A client's streams, followed to their end: an execution's over as many connections as that takes, the service's over
// one. On the start-up path of every command.
import { ServiceUnreachable } from "../client/client_errors.ts";
import {
  readFrames,
  readServiceEvents,
  type ServiceEventMessage,
  type StreamFrame,
} from "../client/client_stream.ts";

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
