// Opens standard output and standard error. All other code writes through these streams.

/** An output stream: a terminal, a file or a pipe. */
export interface Terminal {
  readonly isTerminal: boolean;
  /** The width in terminal cells. Infinity for a file or pipe, so that nothing is shortened. */
  readonly columns: number;
  /** The height in rows; Infinity for a file or pipe. */
  readonly rows: number;
  /** True for a terminal that shows colors, unless NO_COLOR is set. */
  readonly colors: boolean;
  /** True for a terminal on which written lines can be erased. */
  readonly isErasable: boolean;
  /** True for a terminal without control sequences (TERM=dumb). Prompts cannot be drawn on it. */
  readonly isDumb: boolean;
  /** Writes the whole text synchronously. Throws OutputClosed if the reader has closed the stream. */
  write(text: string): void;
}

/** Error: the reader of the output has closed it, as in `inkling logs | head`. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

const SIZE_WHERE_UNKNOWN = { columns: 80, rows: 24 };
const FULL_PIPE_WAIT_MS = 10;

/** Opens standard output or standard error of this process. */
export function openTerminal(
  name: "stdout" | "stderr",
  options: {
    /** The value of the variable TERM. */
    kind: string | undefined;
  },
): Terminal {
  const stream = Deno[name];
  const isTerminal = stream.isTerminal();
  const isDumb = isTerminal && options.kind === "dumb";
  return {
    isTerminal,
    get columns() {
      return isTerminal ? readSize().columns : Infinity;
    },
    get rows() {
      return isTerminal ? readSize().rows : Infinity;
    },
    colors: isTerminal && !Deno.noColor && !isDumb,
    isErasable: isTerminal && !isDumb,
    isDumb,
    write: (text) => writeAll(stream, text),
  };
}

/**
 * Writes the whole text to a stream, also if the stream is non-blocking. Throws OutputClosed if its reader has closed it.
 */
export function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let offset = 0; offset < bytes.length;) {
    try {
      offset += stream.writeSync(bytes.subarray(offset));
    } catch (error) {
      if (error instanceof Deno.errors.BrokenPipe) {
        throw new OutputClosed("The output is closed", { cause: error });
      }
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
      // The buffer of the stream is full. A shared terminal or pipe is non-blocking if another program has made it so.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_WAIT_MS);
    }
  }
}

function readSize(): { columns: number; rows: number } {
  try {
    const { columns, rows } = Deno.consoleSize();
    if (columns > 0 && rows > 0) return { columns, rows };
  } catch {
    // The terminal reports no size, so the default size is used.
  }
  return SIZE_WHERE_UNKNOWN;
}
