// Sends the progress of a run as server-sent events.
import type { Clock } from "../../base/clock.ts";
import { STREAM_HEADERS } from "../../base/text/event_stream.ts";
import { SECOND_MS } from "../../base/time_units.ts";

/** The silence after which a comment keeps the connection open. */
const SILENCE_MS = 15 * SECOND_MS;

/**
 * Returns a response that sends the pieces of `write`, each one event or several. If the client closes the stream before its
 * end, calls `onClose` and aborts the signal, which must end the pieces.
 */
export function toEventResponse(
  write: (signal: AbortSignal) => AsyncGenerator<string, void, void>,
  { clock, onClose }: { clock: Clock; onClose: () => void },
): Response {
  const encoder = new TextEncoder();
  const closed = new AbortController();
  const pieces = write(closed.signal);
  let next: Promise<IteratorResult<string, void>> | undefined;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      next ??= pieces.next();
      const timer = new AbortController();
      const signal = AbortSignal.any([timer.signal, closed.signal]);
      const silence = clock.sleep(SILENCE_MS, signal).then(
        () => "silence" as const,
        () => undefined,
      );
      const first = await Promise.race([next, silence]);
      timer.abort();
      if (first === "silence") return controller.enqueue(encoder.encode(": waiting\n\n"));
      next = undefined;
      if (first === undefined || first.done) return controller.close();
      controller.enqueue(encoder.encode(first.value));
    },
    cancel() {
      closed.abort();
      onClose();
      // Waits for the pending step, which throws the reason of the signal.
      pieces.return().catch(() => {});
    },
  }, { highWaterMark: 0 });
  return new Response(body, { headers: STREAM_HEADERS });
}

/** Returns one event with JSON data. */
export function toEvent(data: unknown, name?: string): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
