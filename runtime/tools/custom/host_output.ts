// Takes what a host process prints apart: what the host itself says, and what the tool in it prints.

/** A message of the host is no longer than this; a line of a tool that is longer is cut. */
const MAX_MESSAGE_CHARACTERS = 10_000_000;
const MAX_LINE_CHARACTERS = 2_000;

/** A line that a tool printed; also an empty one, for it may stand inside of a secret. */
export interface PrintedLine {
  text: string;
  source: "stdout" | "stderr";
  /** Whether there was more of it than is here, or may have been: a line end did not come. */
  cut: boolean;
}

/** What becomes of a line. */
export interface HostOutputOptions {
  source: PrintedLine["source"];
  /** What each line of the host begins with. Absent: the host says nothing here. */
  mark?: string;
  onMessage?: (line: string) => void;
  onLine: (line: PrintedLine) => void;
  /** Called with the size of each chunk that arrives. */
  onBytes: (bytes: number) => void;
}

/** Reads a stream of a host to its end. */
export async function readHostOutput(
  stream: ReadableStream<Uint8Array>,
  { source, mark, onMessage, onLine, onBytes }: HostOutputOptions,
): Promise<void> {
  // Left to itself, a decoder of Deno drops a byte order mark at the beginning of every chunk.
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
      // What can be no message needs not to be kept whole.
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
