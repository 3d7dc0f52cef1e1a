// The two output streams of the process. All other code writes through them.

/** An output stream. */
export interface Terminal {
  readonly isTerminal: boolean;
  /** The width in cells; Infinity for a file or pipe, so that nothing is shortened. */
  readonly columns: number;
  /** The height in lines; Infinity for a file or pipe. */
  readonly rows: number;
  /** True for a terminal with colors, unless for example NO_COLOR is set. */
  readonly colors: boolean;
  /** True if written lines can be erased. */
  readonly isErasable: boolean;
  /** True for a terminal without control sequences (TERM=dumb), on which no prompt can be drawn. */
  readonly isDumb: boolean;
  /** Writes the whole text before it returns. Throws OutputClosed if the output is closed. */
  write(text: string): void;
}

/** Error: the reader of the output has closed it (`… | head`). */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

const SIZE_WHERE_UNKNOWN = { columns: 80, rows: 24 };
const FULL_PIPE_WAIT_MS = 10;

/** Opens standard output or standard error of this process. */
export function openTerminal(
  name: "stdout" | "stderr",
  options: {
    /** The value of TERM. */
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

/** Writes every byte of a text to a blocking or non-blocking stream. */
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
      // Another program has made the shared terminal or pipe non-blocking, and its buffer is full.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_WAIT_MS);
    }
  }
}

function readSize(): { columns: number; rows: number } {
  try {
    const { columns, rows } = Deno.consoleSize();
    if (columns > 0 && rows > 0) return { columns, rows };
  } catch {
    // The terminal does not report its size.
  }
  return SIZE_WHERE_UNKNOWN;
}
