// Frames of an execution, live or out of its log, as pieces of text for a person. Knows no stream and no terminal.
import { formatCost, formatCount } from "./figures.ts";
import { sanitise, toOneLine } from "./sanitise.ts";
import type { Style } from "./style.ts";
import { formatDuration, formatLocal } from "./time.ts";
import { shorten, widthOf } from "./width.ts";

/** The payload of a frame, as the wire has it. */
export type FramePayload = Readonly<Record<string, unknown>>;

/** A piece of text to show: a step on the way, the answer, or why there is none. */
export interface FramePiece {
  kind: "step" | "answer" | "failure";
  text: string;
}

const RESULT_LINES = 3;
const ERROR_LINES = 8;
/** Where no terminal sets a width, a shortened line still ends. */
const WIDEST_LINE = 120;
/** An argument longer than this hides the others. */
const ARGUMENT_WIDTH = 60;

/** Turns the frames of one execution, in their order, into text. */
export class FrameRenderer {
  readonly #style: Style;
  readonly #columns: number;
  readonly #verbose: boolean;
  readonly #showMessages: boolean;
  readonly #showTimes: boolean;
  /** The last reply, as long as it is open whether it is the answer. */
  #reply = "";

  constructor(options: {
    style: Style;
    columns: number;
    /** Whole arguments, results and prompts, and token counts on the way. */
    verbose?: boolean;
    /** Shows what the model was told. */
    showMessages?: boolean;
    /** Puts the time of day before each step. */
    showTimes?: boolean;
  }) {
    this.#style = options.style;
    this.#columns = Math.min(options.columns, WIDEST_LINE);
    this.#verbose = options.verbose ?? false;
    this.#showMessages = options.showMessages ?? this.#verbose;
    this.#showTimes = options.showTimes ?? false;
  }

  /** What a frame adds; nothing for kinds of frames that show nothing or are not known yet. */
  render(payload: FramePayload): FramePiece[] {
    switch (payload["event_type"]) {
      case "execution_info":
        return [this.#step(payload, this.#header(payload))];
      case "system":
        return this.#showMessages ? [this.#message(payload, "System prompt")] : [];
      case "human":
        return this.#showMessages ? [this.#message(payload, "User", { whole: true })] : [];
      case "meta":
        return this.#showMessages ? [this.#message(payload, "Skill context")] : [];
      case "tool_call":
        return this.#toolCalls(payload);
      case "tool_result":
        return [this.#step(payload, this.#toolResult(payload))];
      case "stats":
        return this.#verbose
          ? [this.#step(payload, this.#style.dim(toOneLine(textOf(payload, "message"))))]
          : [];
      case "interrupt":
        return [
          this.#step(payload, this.#style.yellow(`? ${toOneLine(textOf(payload, "message"))}`)),
        ];
      case "ai":
        this.#reply = textOf(payload, "content");
        return [];
      case "final_answer":
        this.#reply = "";
        return [{ kind: "answer", text: sanitise(textOf(payload, "content")) }];
      case "complete":
        return this.#complete(payload);
      default:
        return [];
    }
  }

  #step(payload: FramePayload, text: string): FramePiece {
    if (!this.#showTimes) return { kind: "step", text };
    const timestamp = textOf(payload, "timestamp");
    const time = timestamp === "" ? "" : formatLocal(timestamp).slice(11);
    return { kind: "step", text: `${this.#style.dim(time)} ${text}` };
  }

  #header(payload: FramePayload): string {
    const name = this.#style.bold(toOneLine(textOf(payload, "display_name")));
    const rest = [
      textOf(payload, "model") || "no model",
      textOf(payload, "trigger"),
      `execution ${numberOf(payload, "execution_id") ?? "?"}`,
    ];
    return `${name} ${this.#style.dim(`· ${toOneLine(rest.join(" · "))}`)}`;
  }

  #message(payload: FramePayload, title: string, options: { whole?: boolean } = {}): FramePiece {
    const lines = this.#block(textOf(payload, "content"), {
      lines: options.whole ? Infinity : RESULT_LINES,
    });
    return this.#step(payload, [this.#style.bold(title), ...lines].join("\n"));
  }

  #toolCalls(payload: FramePayload): FramePiece[] {
    const tools = Array.isArray(payload["tools"]) ? payload["tools"] : [];
    const beside = sanitise(textOf(payload, "content")).trim();
    return [
      ...(beside === "" ? [] : [this.#step(payload, beside)]),
      ...tools.map((tool) => this.#step(payload, this.#toolCall(tool))),
    ];
  }

  #toolCall(tool: FramePayload): string {
    const name = toOneLine(textOf(tool, "name"));
    const head = `${this.#style.cyan("→")} ${this.#style.bold(name)}`;
    const args = textOf(tool, "args");
    if (this.#verbose) return [head, ...this.#block(args, { lines: Infinity })].join("\n");
    const room = this.#columns - widthOf(name) - 4;
    const shown = shorten(formatArguments(args), Math.max(room, 0));
    return shown === "" ? head : `${head}  ${this.#style.dim(shown)}`;
  }

  #toolResult(payload: FramePayload): string {
    const failed = payload["is_error"] === true;
    const mark = failed ? this.#style.red("✖") : this.#style.green("✔");
    const duration = numberOf(payload, "duration_ms");
    const time = duration === undefined ? "" : this.#style.dim(`  ${formatDuration(duration)}`);
    const lines = this.#block(textOf(payload, "content"), {
      lines: failed ? ERROR_LINES : RESULT_LINES,
    });
    return [`${mark} ${toOneLine(textOf(payload, "tool_name"))}${time}`, ...lines].join("\n");
  }

  /** Indented lines: all of them, whole, when verbose, else the first few, shortened. */
  #block(text: string, options: { lines: number }): string[] {
    const all = sanitise(text).trimEnd().split("\n");
    if (this.#verbose || options.lines === Infinity) {
      return all.map((line) => this.#indent(line));
    }
    const shown = all.slice(0, options.lines).map((line) =>
      shorten(line.replaceAll("\t", "  "), this.#columns - 4)
    );
    const left = all.length - shown.length;
    if (left > 0) shown.push(`… ${formatCount(left)} more ${left === 1 ? "line" : "lines"}`);
    return shown.map((line) => this.#indent(line));
  }

  #indent(line: string): string {
    return line === "" ? "" : `    ${this.#style.dim(line)}`;
  }

  #complete(payload: FramePayload): FramePiece[] {
    const status = toOneLine(textOf(payload, "status"));
    const done = status === "success";
    const duration = numberOf(payload, "duration_ms");
    const tokens = numberOf(payload, "total_tokens");
    const cost = numberOf(payload, "cost_usd");
    const figures = [
      ...(duration === undefined ? [] : [formatDuration(duration)]),
      ...(tokens === undefined ? [] : [`${formatCount(tokens)} tokens`]),
      ...(cost === undefined ? [] : [formatCost(cost)]),
    ];
    const mark = done ? this.#style.green(`✔ ${status}`) : this.#style.red(`✖ ${status}`);
    const summary = figures.length === 0 ? "" : this.#style.dim(` · ${figures.join(" · ")}`);
    const pieces: FramePiece[] = [];
    // A reply that did not become the answer (it was cut, say) is worth seeing all the same.
    if (this.#reply !== "") {
      pieces.push({ kind: "step", text: sanitise(this.#reply) });
      this.#reply = "";
    }
    pieces.push(this.#step(payload, mark + summary));
    if (!done) {
      const error = sanitise(textOf(payload, "error")) || `The run ended as ${status}`;
      pieces.push({ kind: "failure", text: error });
    }
    return pieces;
  }
}

/** Arguments of a tool call on one line: `path: notes.md, limit: 20`; what is no JSON object, as it is. */
export function formatArguments(args: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(args);
  } catch {
    // The model wrote something else: that is shown.
    return toOneLine(args);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    return toOneLine(args);
  }
  return Object.entries(parsed).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${toOneLine(name)}: ${shorten(toOneLine(text), ARGUMENT_WIDTH)}`;
  }).join(", ");
}

function textOf(payload: FramePayload, name: string): string {
  const value = payload[name];
  return typeof value === "string" ? value : "";
}

function numberOf(payload: FramePayload, name: string): number | undefined {
  const value = payload[name];
  return typeof value === "number" ? value : undefined;
}
