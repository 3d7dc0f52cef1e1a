// Frames of an execution, live or out of its log, as pieces of text for a person. Knows no stream and no terminal.
import { formatDuration } from "../../../base/durations.ts";
import { formatCost, formatCount, formatPlural } from "../figures.ts";
import {
  callsOf,
  type DescribedCall,
  describedOf,
  type FramePayload,
  numberOf,
  textOf,
  type ToolCall,
} from "../../../present/payload.ts";
import { sanitise, toOneLine } from "../sanitise.ts";
import type { Style } from "../style.ts";
import { formatWouldDo } from "./would_do.ts";
import { formatLocal } from "../time.ts";
import {
  formatCall,
  formatFolded,
  formatPrompt,
  formatResult,
  type ToolLineOptions,
} from "./tool_lines.ts";
import { wrapText } from "../wrap.ts";

/** A piece of text to show: a step on the way, what the model said, the answer, or why there is none. */
export interface FramePiece {
  kind: "step" | "reply" | "answer" | "failure";
  text: string;
}

/** How frames are shown. */
export interface FrameRendererOptions {
  style: Style;
  columns: number;
  /** Whole arguments, results and prompts, and token counts on the way. */
  verbose?: boolean;
  /** Shows what the model was told. */
  showMessages?: boolean;
  /** Puts the time of day before each step. */
  showTimes?: boolean;
  /** Numbers the replies, as a fork does. */
  showSteps?: boolean;
  /** How many replies there were before. */
  stepsBefore?: number;
  /** How many of all replies, with their calls, are those of the execution that this one was forked from. */
  stepsTakenOver?: number;
  /** Shows a call when it is made, not only with its result: nothing else shows that it is running. */
  showCalls?: boolean;
}

const MESSAGE_LINES = 3;
/** Where no terminal sets a width, a shortened line still ends. */
const WIDEST_LINE = 120;
/** `08:30:00` and a space. */
const TIME_WIDTH = 9;
const SKILL_NAME = /^<skill-context name="([^"<>]*)">/;

/** Turns the frames of one execution, in their order, into text. */
export class FrameRenderer {
  readonly #options: FrameRendererOptions;
  readonly #style: Style;
  readonly #layout: ToolLineOptions;
  /** How many replies there were. */
  #steps: number;
  /** Calls without a result, in the order of the reply. */
  readonly #calls = new Map<string, ToolCall>();
  /** Whether the calls of the last reply stand on lines of their own, and one alone. */
  #isObvious = false;
  /** The last reply, as long as it is open whether it is the answer. */
  #reply = "";
  /** Calls that a dry run described; undefined for a run that is none, as far as was seen. */
  #wouldDo: DescribedCall[] | undefined;
  /** How many calls there were; undefined where the beginning was not seen. */
  #callCount: number | undefined;

  constructor(options: FrameRendererOptions) {
    const { style, verbose = false } = options;
    this.#options = { ...options, showMessages: options.showMessages ?? verbose };
    this.#style = style;
    const columns = Math.min(options.columns, WIDEST_LINE);
    const lead = options.showTimes ? TIME_WIDTH : 0;
    this.#layout = { style, columns, width: options.columns, verbose, lead };
    this.#steps = options.stepsBefore ?? 0;
  }

  /** Calls without a result so far. */
  get openCalls(): readonly ToolCall[] {
    return [...this.#calls.values()];
  }

  /** What a frame adds; nothing for kinds of frames that show nothing or are not known yet. */
  render(payload: FramePayload): FramePiece[] {
    switch (payload["event_type"]) {
      case "execution_info":
        this.#callCount = 0;
        if (payload["dry_run"] === true) this.#wouldDo = [];
        return [this.#sentence(payload, this.#header(payload))];
      case "system":
        return this.#options.showMessages ? [this.#prompt(payload)] : [];
      case "human":
        return this.#options.showMessages ? [this.#message(payload, "User", { whole: true })] : [];
      case "meta":
        return [this.#meta(payload)];
      case "tool_call":
        return [...this.#nextStep(payload), ...this.#toolCalls(payload)];
      case "tool_result":
        return this.#toolResult(payload);
      case "stats":
        return this.#stats(payload);
      case "ai":
        this.#reply = textOf(payload, "content");
        return this.#nextStep(payload);
      case "final_answer":
        this.#reply = "";
        return [this.#answer(payload)];
      case "complete":
        return this.#complete(payload);
      default:
        return [];
    }
  }

  /** The calls without a result, where they have not been shown: the run stops here. */
  renderOpenCalls(payload: FramePayload): FramePiece[] {
    const calls = this.#options.showCalls ? [] : this.openCalls;
    this.#calls.clear();
    return calls.map((call) => this.#step(payload, formatCall(call, this.#layout)));
  }

  #step(payload: FramePayload, text: string): FramePiece {
    if (!this.#options.showTimes) return { kind: "step", text };
    const timestamp = textOf(payload, "timestamp");
    const time = timestamp === "" ? "" : formatLocal(timestamp).slice(11);
    return { kind: "step", text: `${this.#style.dim(time)} ${text}` };
  }

  /** A step that is a sentence, which may take more than a line. */
  #sentence(payload: FramePayload, text: string): FramePiece {
    const { columns, lead } = this.#layout;
    return this.#step(payload, wrapText(text, columns - lead, { hanging: 2 }));
  }

  #nextStep(payload: FramePayload): FramePiece[] {
    this.#steps++;
    if (!this.#options.showSteps) return [];
    const origin = this.#isTakenOver ? this.#style.dim(" taken over") : "";
    return [this.#step(payload, this.#style.bold(`Step ${this.#steps}`) + origin)];
  }

  /** Whether the last reply and its calls happened in the execution that this one was forked from. */
  get #isTakenOver(): boolean {
    return this.#steps > 0 && this.#steps <= (this.#options.stepsTakenOver ?? 0);
  }

  #header(payload: FramePayload): string {
    const name = this.#style.bold(toOneLine(textOf(payload, "display_name")));
    const parent = numberOf(payload, "parent_execution_id");
    const rest = [
      textOf(payload, "model") || "no model",
      textOf(payload, "trigger") + (parent === undefined ? "" : ` of execution ${parent}`),
      ...(payload["dry_run"] === true ? ["dry run"] : []),
      `execution ${numberOf(payload, "execution_id") ?? "?"}`,
    ];
    return `${name} ${this.#style.dim(`· ${toOneLine(rest.join(" · "))}`)}`;
  }

  #prompt(payload: FramePayload): FramePiece {
    const lines = formatPrompt(textOf(payload, "content"), this.#layout);
    return this.#step(payload, [this.#style.bold("System prompt"), ...lines].join("\n"));
  }

  #message(payload: FramePayload, title: string, options: { whole?: boolean } = {}): FramePiece {
    const lines = formatFolded(textOf(payload, "content"), {
      ...this.#layout,
      lines: options.whole ? Infinity : MESSAGE_LINES,
    });
    return this.#step(payload, [this.#style.bold(title), ...lines].join("\n"));
  }

  /** Instructions that a skill brought into the conversation. */
  #meta(payload: FramePayload): FramePiece {
    if (payload["kind"] === "notice") return this.#notice(payload);
    if (payload["kind"] !== "repair") return this.#skill(payload);
    if (this.#options.showMessages) return this.#message(payload, "Repair");
    return this.#notice({ ...payload, level: "warn", content: textOf(payload, "message") });
  }

  #notice(payload: FramePayload): FramePiece {
    const text = toOneLine(textOf(payload, "content"));
    const { style } = this.#layout;
    const sentence = payload["level"] === "warn"
      ? style.yellow(`! ${text}`)
      : style.dim(`· ${text}`);
    return this.#sentence(payload, sentence);
  }

  #skill(payload: FramePayload): FramePiece {
    if (this.#options.showMessages) return this.#message(payload, "Skill");
    const content = textOf(payload, "content");
    const name = toOneLine(SKILL_NAME.exec(content)?.[1] ?? "");
    const lines = formatPlural(Math.max(1, content.trim().split("\n").length - 2), "line");
    const about = `${name === "" ? "" : `  ${name}`}${
      this.#style.dim(`  ${lines} of instructions`)
    }`;
    return this.#step(
      payload,
      `${this.#style.green("✔")} ${this.#style.bold("skill")}${about}`,
    );
  }

  #toolCalls(payload: FramePayload): FramePiece[] {
    const calls = callsOf(payload);
    const beside = sanitise(textOf(payload, "content")).trim();
    for (const [index, call] of calls.entries()) this.#calls.set(call.id || String(index), call);
    if (this.#callCount !== undefined && !this.#isTakenOver) this.#callCount += calls.length;
    this.#isObvious = this.#options.showCalls === true && calls.length === 1;
    return [
      ...(beside === "" ? [] : [this.#said(payload, beside)]),
      ...(this.#options.showCalls ? calls : []).map((call) =>
        this.#step(payload, formatCall(call, this.#layout))
      ),
    ];
  }

  /** What the model said beside its calls, or before the run broke off. */
  #said(payload: FramePayload, text: string): FramePiece {
    if (!this.#options.showTimes) return { kind: "reply", text };
    return this.#message({ ...payload, content: text }, "Model", { whole: true });
  }

  #answer(payload: FramePayload): FramePiece {
    const text = sanitise(textOf(payload, "content"));
    if (text.trim() !== "") return { kind: "answer", text };
    return this.#step(payload, this.#style.dim("The answer is empty"));
  }

  #toolResult(payload: FramePayload): FramePiece[] {
    const id = textOf(payload, "tool_call_id");
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    const described = describedOf(payload);
    if (described.length > 0) this.#wouldDo = [...this.#wouldDo ?? [], ...described];
    const isRoutine = textOf(payload, "tool_name") === "skill_use" && payload["is_error"] !== true;
    // The skill's instructions follow, with a line of their own.
    if (isRoutine && !this.#options.showMessages) return [];
    const isShown = this.#isObvious || this.#options.showCalls && this.#layout.verbose;
    const shown = isShown ? undefined : call;
    const layout = { ...this.#layout, isTakenOver: this.#isTakenOver };
    return [this.#step(payload, formatResult(payload, shown, layout))];
  }

  #stats(payload: FramePayload): FramePiece[] {
    const warning = toOneLine(textOf(payload, "warning"));
    if (this.#layout.verbose) {
      return [this.#step(payload, this.#style.dim(toOneLine(textOf(payload, "message"))))];
    }
    if (warning === "") return [];
    return [this.#sentence(payload, `${this.#style.yellow("!")} ${warning}`)];
  }

  #complete(payload: FramePayload): FramePiece[] {
    const status = toOneLine(textOf(payload, "status"));
    const isDone = status === "success";
    const pieces = this.renderOpenCalls(payload);
    // A reply that did not become the answer (it was cut, say) is worth seeing all the same.
    if (this.#reply !== "") pieces.push(this.#said(payload, sanitise(this.#reply)));
    this.#reply = "";
    if (this.#wouldDo !== undefined) {
      const lines = formatWouldDo(this.#wouldDo, numberOf(payload, "execution_id"), this.#layout);
      pieces.push(this.#step(payload, lines.join("\n")));
    }
    const mark = isDone ? this.#style.green(`✔ ${status}`) : this.#style.red(`✖ ${status}`);
    const figures = this.#figures(payload);
    const summary = figures === "" ? "" : this.#style.dim(` · ${figures}`);
    pieces.push(this.#sentence(payload, mark + summary));
    if (!isDone) {
      const error = sanitise(textOf(payload, "error")) || `The run ended as ${status}`;
      pieces.push({ kind: "failure", text: error });
    }
    return pieces;
  }

  #figures(payload: FramePayload): string {
    const duration = numberOf(payload, "duration_ms");
    const tokens = numberOf(payload, "total_tokens");
    const cost = numberOf(payload, "cost_usd");
    const calls = this.#callCount ?? 0;
    const about = payload["usage_estimated"] === true ? "~" : "";
    return [
      ...(duration === undefined ? [] : [formatDuration(duration)]),
      ...(tokens === undefined ? [] : [`${about}${formatCount(tokens)} tokens`]),
      ...(cost === undefined ? [] : [about + formatCost(cost)]),
      ...(calls === 0 ? [] : [formatPlural(calls, "tool call")]),
    ].join(" · ");
  }
}
