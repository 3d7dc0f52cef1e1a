// Splits the output of a host process into messages of the host and lines that the tool printed.

/**
 * The maximum lengths of a host's message and of a tool's line, in UTF-16 code units. The rest of a longer line is dropped.
 */
const MAX_MESSAGE_CHARACTERS = 10_000_000;
const MAX_LINE_CHARACTERS = 2_000;

/** A line that a tool printed. Empty lines are reported, too, because they may be part of a secret. */
export interface PrintedLine {
  text: string;
  source: "stdout" | "stderr";
  /** True if the line was cut or its line ending is missing. */
  cut: boolean;
}

/** Reads an output stream of a host process to its end, and reports each message and line. */
export async function readHostOutput(
  stream: ReadableStream<Uint8Array>,
  { source, mark, onMessage, onLine, onBytes }: {
    source: PrintedLine["source"];
    /** The prefix of each message of the host. Undefined: the stream contains no messages. */
    mark?: string;
    onMessage?: (line: string) => void;
    onLine: (line: PrintedLine) => void;
    /** Called with the size of each received chunk in bytes. */
    onBytes: (bytes: number) => void;
  },
): Promise<void> {
  // With `ignoreBOM: false`, Deno's decoder would drop a byte order mark at the beginning of every chunk, not only of the
  // first.
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
      // A line without the prefix of messages is only kept up to MAX_LINE_CHARACTERS.
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
