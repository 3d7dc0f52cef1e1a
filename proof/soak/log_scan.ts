// Scans the growing service log for lines about internal failures. Follows rotation.

/** A line that the log must not contain. */
export interface LogComplaint {
  rule: string;
  line: string;
}

/** Returns complaints about these lines of a log. `expected`: the allowed lines of level error. */
export function judgeLines(lines: readonly string[], expected?: RegExp): LogComplaint[] {
  return lines.flatMap((line) => {
    if (/^\S+Z ERROR /.test(line)) {
      return expected?.test(line) ? [] : [{ rule: "no line of the log is an error", line }];
    }
    // In fields, line breaks are escaped.
    return /(\\n|^)\s+at .+:\d+:\d+/.test(line)
      ? [{ rule: "the log contains no stack trace", line }]
      : [];
  });
}

/** Reads the lines since the last scan. */
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

  /** Returns complaints about new lines. Concurrent scans run one after another. */
  look(): Promise<LogComplaint[]> {
    return this.#looking = this.#looking.then(() => this.#look());
  }

  async #look(): Promise<LogComplaint[]> {
    const { size } = await Deno.stat(this.#path);
    let text = "";
    if (size < this.#offset) {
      // After a rotation, the rest of the previous log is in the old file.
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
