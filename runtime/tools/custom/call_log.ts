// What a custom tool says and prints during a call, as lines of the service log. Secrets are taken out before a text is
// taken apart: in single lines a secret of several would not be recognised.
import type { RedactedStream } from "../../secrets/redactor.ts";
import type { ToolContext } from "../tool.ts";
import type { PrintedLine } from "./host_output.ts";

const MAX_LOG_LINES = 100;

/** The lines of one call, not without end. */
export class CallLog {
  readonly #context: Pick<ToolContext, "log" | "redactor">;
  readonly #tool: string;
  readonly #prints = new Map<PrintedLine["source"], { stream: RedactedStream; rest: string }>();
  #lines = 0;

  /** `tool` is the name that each line begins with. */
  constructor(context: Pick<ToolContext, "log" | "redactor">, tool: string) {
    this.#context = context;
    this.#tool = tool;
  }

  /** Logs a text that is whole, line by line; at most `maxLines` of it. */
  say(text: string, { maxLines = Infinity }: { maxLines?: number } = {}): void {
    this.#write(this.#context.redactor.redact(text).split("\n").slice(0, maxLines));
  }

  /** Logs what the tool printed. A line that may be the beginning of a secret waits for the next one of its source. */
  print({ text, source, cut }: PrintedLine): void {
    const { redactor } = this.#context;
    let print = this.#prints.get(source);
    if (print === undefined) {
      print = { stream: redactor.openStream(), rest: "" };
      this.#prints.set(source, print);
    }
    const shown = print.stream.push(`${cut ? redactor.withoutTornEnd(text) : text}\n`);
    const lines = (print.rest + shown).split("\n");
    print.rest = lines.pop() ?? "";
    this.#write(lines);
  }

  /** Logs what still waits, once the tool has ended; one that was ended may have been in the middle of a secret. */
  finish(): void {
    for (const { stream, rest } of this.#prints.values()) {
      this.#write(`${rest}${stream.flush()}`.split("\n"));
    }
    this.#prints.clear();
  }

  #write(lines: readonly string[]): void {
    for (const line of lines) {
      if (this.#lines > MAX_LOG_LINES) return;
      if (line.trim() === "") continue;
      const shown = ++this.#lines > MAX_LOG_LINES
        ? "further lines of this call are left out"
        : line.replaceAll(/\p{Cc}/gu, " ");
      this.#context.log(`${this.#tool}: ${shown}`);
    }
  }
}
