// The two output streams of the process: the only place that writes to them.

/** A stream that text goes to. */
export interface Terminal {
  readonly isTerminal: boolean;
  /** Cells of a line; Infinity where it is not a terminal: nothing is shortened there. */
  readonly columns: number;
  /** Lines of the screen; Infinity where it is not a terminal. */
  readonly rows: number;
  /** Whether it takes colours: a terminal, unless NO_COLOR or its like say otherwise. */
  readonly colors: boolean;
  /** Whether lines that were written can be taken back. */
  readonly isErasable: boolean;
  /** A terminal that obeys no control sequence (TERM=dumb): nothing can be drawn on it, so nobody can be asked. */
  readonly isDumb: boolean;
  /** Writes all of the text before it returns. Throws OutputClosed when the output is closed. */
  write(text: string): void;
}

/** The reader of the output has gone (`… | head`). */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

const SIZE_WHERE_UNKNOWN = { columns: 80, rows: 24 };
const FULL_PIPE_WAIT_MS = 10;

/** Standard output or standard error of this process. */
export function openTerminal(
  name: "stdout" | "stderr",
  options: {
    /** What TERM says. */
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
      // Another program has made the shared terminal or pipe non-blocking, and it is full.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_WAIT_MS);
    }
  }
}

function readSize(): { columns: number; rows: number } {
  try {
    const { columns, rows } = Deno.consoleSize();
    if (columns > 0 && rows > 0) return { columns, rows };
  } catch {
    // A terminal that does not report its size.
  }
  return SIZE_WHERE_UNKNOWN;
}
