// HTTP replies that cannot grow without end: a body, or one event of a stream, is cut off above a size.

/**
 * The reply, with a body that fails once it, or one event of an event stream, has more than `maxBytes`. `onEvent` is called
 * after each event; what it throws fails the body, too.
 */
export function boundReply(
  reply: Response,
  { maxBytes, onEvent }: { maxBytes: number; onEvent: () => void },
): Response {
  if (reply.body === null) return reply;
  const isStream = /^text\/event-stream\b/i.test(reply.headers.get("content-type") ?? "");
  const body = reply.body.pipeThrough(limitBytes(maxBytes, isStream ? onEvent : undefined));
  return new Response(body, reply);
}

function limitBytes(
  maxBytes: number,
  onEvent: (() => void) | undefined,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let size = 0;
  let feeds = 0;
  return new TransformStream({
    transform(chunk, controller) {
      if (onEvent !== undefined) {
        // An empty line ends an event; a carriage return is part of the line's end.
        for (const byte of chunk) {
          size++;
          if (byte === 0x0a) feeds++;
          else if (byte !== 0x0d) feeds = 0;
          if (feeds === 2) {
            size = feeds = 0;
            onEvent();
          }
          if (size > maxBytes) break;
        }
      } else size += chunk.length;
      if (size > maxBytes) {
        controller.error(new RangeError(`the reply is over ${maxBytes / 1024 / 1024} MB`));
      } else controller.enqueue(chunk);
    },
  });
}
