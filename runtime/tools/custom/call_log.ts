// Writes a custom tool's messages and output during a call to the service log. Secrets are redacted before a text is split
// into lines, because a secret of several lines is not recognized in a single line.
import type { RedactedStream } from "../../secrets/redactor.ts";
import type { ToolContext } from "../definition/tool.ts";
import type { PrintedLine } from "./host_output.ts";

const MAX_LOG_LINES = 100;

/** The log of one call. It stops after 100 lines. */
export class CallLog {
  readonly #context: Pick<ToolContext, "log" | "redactor">;
  readonly #prints = new Map<PrintedLine["source"], { stream: RedactedStream; rest: string }>();
  #lines = 0;
  #isFinished = false;

  constructor(context: Pick<ToolContext, "log" | "redactor">) {
    this.#context = context;
  }

  /** Logs at most `maxLines` lines of a text that is complete. */
  write(text: string, { maxLines = Infinity }: { maxLines?: number } = {}): void {
    this.#write(this.#context.redactor.redact(text).split("\n").slice(0, maxLines));
  }

  /**
   * Logs a line that the tool printed. A line that may begin a secret is logged together with the next line of its source.
   * Does nothing after finish(), because a secret of several lines would not be recognized.
   */
  print({ text, source, cut }: PrintedLine): void {
    if (this.#isFinished) return;
    const { redactor } = this.#context;
    let print = this.#prints.get(source);
    if (print === undefined) {
      print = { stream: redactor.openStream(), rest: "" };
      this.#prints.set(source, print);
    }
    const shown = print.stream.push(`${cut ? redactor.trimPartialSecret(text) : text}\n`);
    const lines = (print.rest + shown).split("\n");
    print.rest = lines.pop() ?? "";
    this.#write(lines);
  }

  /**
   * Logs the lines that `print` delayed. Call it only if the tool ended by itself, because a tool that was killed may have
   * printed a part of a secret.
   */
  finish(): void {
    this.#isFinished = true;
    for (const { stream, rest } of this.#prints.values()) {
      this.#write(`${rest}${stream.flush()}`.split("\n"));
    }
  }

  #write(lines: readonly string[]): void {
    for (const line of lines) {
      if (this.#lines > MAX_LOG_LINES) return;
      if (line.trim() === "") continue;
      const shown = ++this.#lines > MAX_LOG_LINES
        ? "further lines of this call are left out"
        : line.replaceAll(/\p{Cc}/gu, " ");
      this.#context.log(shown);
    }
  }
}
