// Parses text/event-stream into events, as the HTML standard requires. Without imports, because every command loads this
// file.

/** The media type of a stream of events. */
export const EVENT_STREAM = "text/event-stream";

/** The headers of a response with events. No cache may store it, and no proxy may buffer it. */
export const STREAM_HEADERS = {
  "content-type": EVENT_STREAM,
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/** An event of the stream. `id` is undefined if the event itself has no id. */
export interface ServerSentEvent {
  event: string;
  data: string;
  id: string | undefined;
}

/** The options for a body that does not follow the standard. */
export interface EventStreamOptions {
  /** True: the last event is yielded even without a blank line after it. */
  isLooseEnd?: boolean;
  /** Called with each line that is no field of an event. */
  onStray?: (line: string) => void;
}

/**
 * Yields the events of a body. Skips comments and events without data, and drops an event that the end of the body cuts
 * off. Leaving the loop early cancels the body.
 */
export async function* parseEventStream(
  body: ReadableStream<Uint8Array>,
  { isLooseEnd = false, onStray }: EventStreamOptions = {},
): AsyncGenerator<ServerSentEvent, void, void> {
  let event = "";
  let data: string[] = [];
  let id: string | undefined;
  for await (const line of readLines(body)) {
    if (line === "") {
      if (data.length > 0) yield { event: event || "message", data: data.join("\n"), id };
      event = "";
      data = [];
      id = undefined;
      continue;
    }
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
    else if (field === "id") id = value.includes("\0") ? id : value;
    else onStray?.(line);
  }
  if (isLooseEnd && data.length > 0) yield { event: event || "message", data: data.join("\n"), id };
}

/**
 * Yields the lines of a body, which end with LF, CR LF, CR or the body. Each character is searched once, even if a line
 * arrives in many chunks.
 */
export async function* readLines(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<string, void, void> {
  // Without this option, Deno's decoder drops a byte order mark at the beginning of every chunk.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let parts: string[] = [];
  let skipLineFeed = false;
  let isFirst = true;
  for await (const bytes of body) {
    let text = decoder.decode(bytes, { stream: true });
    if (isFirst && text !== "") {
      if (text.startsWith("\uFEFF")) text = text.slice(1);
      isFirst = false;
    }
    if (skipLineFeed && text !== "") {
      if (text.startsWith("\n")) text = text.slice(1);
      skipLineFeed = false;
    }
    let start = 0;
    for (const match of text.matchAll(/\r\n|\n|\r/g)) {
      parts.push(text.slice(start, match.index));
      yield parts.join("");
      parts = [];
      start = match.index + match[0].length;
      // The LF of this CR may start the next chunk.
      if (match[0] === "\r" && start === text.length) skipLineFeed = true;
    }
    parts.push(text.slice(start));
  }
  parts.push(decoder.decode());
  const rest = parts.join("");
  if (rest !== "") yield rest;
}

/**
 * Returns a stream that passes a body on. It fails with `tooLong()` if a part is over `maxBytes`, or the body over
 * `maxTotal`. A part ends with `lineFeeds` consecutive line feeds: two for an event, one for a line. `onPart` is called
 * after each part, and its errors make reading fail.
 */
export function limitParts({ maxBytes, maxTotal = Infinity, lineFeeds, onPart, tooLong }: {
  maxBytes: number;
  maxTotal?: number;
  lineFeeds: number;
  onPart?: () => void;
  tooLong: (what: "body" | "part", bytes: number) => Error;
}): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let total = 0;
  let size = 0;
  let found = 0;
  return new TransformStream({
    transform(chunk, controller) {
      total += chunk.length;
      if (total > maxTotal) throw tooLong("body", maxTotal);
      for (const byte of chunk) {
        size++;
        // A carriage return belongs to the line ending.
        if (byte === 0x0a) found++;
        else if (byte !== 0x0d) found = 0;
        if (found === lineFeeds) {
          size = found = 0;
          onPart?.();
        }
        if (size > maxBytes) throw tooLong("part", maxBytes);
      }
      controller.enqueue(chunk);
    },
  });
}
