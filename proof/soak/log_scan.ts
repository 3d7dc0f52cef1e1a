// Scans the growing service log for errors and stack traces. Continues in the new file after a rotation.

/** A line that the log must not contain, with the broken rule. */
export interface LogComplaint {
  rule: string;
  line: string;
}

/** Returns the lines that the log must not contain. `expected` matches the lines of level ERROR that are allowed. */
export function judgeLines(lines: readonly string[], expected?: RegExp): LogComplaint[] {
  return lines.flatMap((line) => {
    if (/^\S+Z ERROR /.test(line)) {
      return expected?.test(line) ? [] : [{ rule: "no line of the log is an error", line }];
    }
    // In the fields of a log line, a line break is written as `\n`.
    return /(\\n|^)\s+at .+:\d+:\d+/.test(line)
      ? [{ rule: "the log contains no stack trace", line }]
      : [];
  });
}

/** Reads a log piece by piece. */
export class LogScan {
  readonly #path: string;
  readonly #expected: RegExp | undefined;
  #offset = 0;
  #looking: Promise<LogComplaint[]> = Promise.resolve([]);
  lines = 0;

  constructor(path: string, expected?: RegExp) {
    this.#path = path;
    this.#expected = expected;
  }

  /** Returns the forbidden lines since the last call. Concurrent calls run one after another. */
  look(): Promise<LogComplaint[]> {
    return this.#looking = this.#looking.then(() => this.#look());
  }

  async #look(): Promise<LogComplaint[]> {
    const { size } = await Deno.stat(this.#path);
    let text = "";
    if (size < this.#offset) {
      // After a rotation, the unread rest of the previous log is in `.1`.
      text = await textFrom(`${this.#path}.1`, this.#offset);
      this.#offset = 0;
    }
    const fresh = await textFrom(this.#path, this.#offset);
    const end = fresh.lastIndexOf("\n") + 1;
    this.#offset += new TextEncoder().encode(fresh.slice(0, end)).length;
    const lines = (text + fresh.slice(0, end)).split("\n").filter((line) => line !== "");
    this.lines += lines.length;
    return judgeLines(lines, this.#expected);
  }
}

async function textFrom(path: string, offset: number): Promise<string> {
  const bytes = await Deno.readFile(path);
  return new TextDecoder().decode(bytes.subarray(offset));
}
