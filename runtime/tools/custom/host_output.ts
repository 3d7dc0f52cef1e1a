// Splits a host process's output into the host's messages and the tool's printed lines.

/** The maximum length of a host's message and of a tool's line. A longer line is cut. */
const MAX_MESSAGE_CHARACTERS = 10_000_000;
const MAX_LINE_CHARACTERS = 2_000;

/** A line that a tool printed. Empty lines count, because they may be part of a secret. */
export interface PrintedLine {
  text: string;
  source: "stdout" | "stderr";
  /** True if the line is incomplete: it was cut, or its line ending is missing. */
  cut: boolean;
}

/** The source and the receivers of lines. */
export interface HostOutputOptions {
  source: PrintedLine["source"];
  /** The beginning of each message of the host. Absent: the host sends no messages on this stream. */
  mark?: string;
  onMessage?: (line: string) => void;
  onLine: (line: PrintedLine) => void;
  /** Called with the size of each received chunk. */
  onBytes: (bytes: number) => void;
}

/** Reads a host's stream to its end. */
export async function readHostOutput(
  stream: ReadableStream<Uint8Array>,
  { source, mark, onMessage, onLine, onBytes }: HostOutputOptions,
): Promise<void> {
  // By default Deno's decoder drops a byte order mark at the beginning of every chunk.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let rest = "";
  const take = (line: string, ended: { byLineEnd: boolean }) => {
    if (mark !== undefined && line.startsWith(mark)) return onMessage?.(line.slice(mark.length));
    const text = line.slice(0, MAX_LINE_CHARACTERS);
    onLine({ text, source, cut: !ended.byLineEnd || text.length === MAX_LINE_CHARACTERS });
  };
  for await (const chunk of stream) {
    onBytes(chunk.length);
    const lines = decoder.decode(chunk, { stream: true }).split("\n");
    for (const [index, part] of lines.entries()) {
      if (index > 0) {
        take(rest, { byLineEnd: true });
        rest = "";
      }
      // A line that cannot be a message need not be kept in full.
      const limit = mark === undefined || !couldBegin(rest + part.slice(0, mark.length), mark)
        ? MAX_LINE_CHARACTERS
        : MAX_MESSAGE_CHARACTERS;
      rest = (rest + part).slice(0, limit);
    }
  }
  take(rest, { byLineEnd: false });
}

function couldBegin(text: string, mark: string): boolean {
  return text.startsWith(mark) || mark.startsWith(text);
}
