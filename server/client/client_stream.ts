// The streams of the API as a client reads them. On the start-up path of every command: nothing heavy is imported.
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
export async function* readServiceEvents(
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
