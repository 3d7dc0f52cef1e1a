// Renders the frames of an execution as pieces of text, while the execution runs or from its log.
import { describeAnswerPlace, isGiven } from "../../../present/answer_place.ts";
import { formatPlural } from "../figures.ts";
import {
  callsOf,
  type DescribedCall,
  describedOf,
  type FramePayload,
  numberOf,
  textOf,
  type ToolCall,
} from "../../../present/payload.ts";
import { sanitize, toOneLine } from "../sanitize.ts";
import type { Style } from "../style.ts";
import { formatLocal } from "../../../present/local_time.ts";
import {
  formatCall,
  formatEnd,
  formatFolded,
  formatPrompt,
  formatResult,
  formatWouldDo,
  type ToolLineOptions,
} from "./tool_lines.ts";
import { wrapText } from "../wrap.ts";

/** A rendered piece of text. `reply`: text of the model that is not the answer. `failure`: the error of a failed run. */
export interface FramePiece {
  kind: "step" | "reply" | "answer" | "failure";
  text: string;
}

/** The options of a FrameRenderer. */
export interface FrameRendererOptions {
  style: Style;
  columns: number;
  /** If true, arguments, results and prompts are shown in full, with token counts. */
  verbose?: boolean;
  /** If true, the system prompt and the messages to the model are shown. If absent, the value of `verbose` counts. */
  showMessages?: boolean;
  /** If true, the time of day is shown before each step. */
  showTimes?: boolean;
  /** If true, step numbers are shown, which the option `fork --at` takes. */
  showSteps?: boolean;
  /** The number of replies before the rendered frames, if they are the end of a log. */
  stepsBefore?: number;
  /** The number of replies at the beginning that a fork copied from its original. */
  stepsTakenOver?: number;
  /** If true, a call is shown when it starts, and not only with its result. */
  showCalls?: boolean;
}

const MESSAGE_LINES = 3;
/** The maximum width of shortened lines, for wide terminals and files. */
const WIDEST_LINE = 120;
/** The width of a time such as `08:30:00` and a space. */
const TIME_WIDTH = 9;
const SKILL_NAME = /^<skill-context name="([^"<>]*)">/;

/** A renderer for the frames of one execution. Frames must be rendered in their order. */
export class FrameRenderer {
  readonly #options: FrameRendererOptions;
  readonly #style: Style;
  readonly #layout: ToolLineOptions;
  /** The number of replies rendered so far. */
  #steps: number;
  /** The calls that have no result yet, by call id, in the order of the model's reply. */
  readonly #calls = new Map<string, ToolCall>();
  /** True if the last reply made exactly one call and that call is shown. The line of the result then omits the call. */
  #isObvious = false;
  /** The text of the last reply, until a frame confirms it as the answer. */
  #reply = "";
  /** The calls that a dry run described instead of making them; undefined for a normal run. */
  #wouldDo: DescribedCall[] | undefined;
  /** The number of calls so far; undefined if the first frames were not rendered. */
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

  /** Returns the calls that have no result yet. */
  get openCalls(): readonly ToolCall[] {
    return [...this.#calls.values()];
  }

  /** Returns the pieces of a frame. The list is empty for a frame that is not shown, or of an unknown kind. */
  render(payload: FramePayload): FramePiece[] {
    switch (payload["event_type"]) {
      case "execution_info":
        this.#callCount = 0;
        if (payload["dry_run"] === true) this.#wouldDo = [];
        return [this.#sentence(payload, this.#header(payload))];
      case "system":
        return this.#options.showMessages ? [this.#prompt(payload)] : [];
      case "human":
        return this.#options.showMessages ? [this.#human(payload)] : [];
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

  /** Returns pieces for calls that have no result when the frames end, unless the calls are already shown. */
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

  /** Returns a piece with a sentence, wrapped at spaces. */
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

  /** Returns whether a fork copied the last reply and its calls from its original. */
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

  #human(payload: FramePayload): FramePiece {
    const place = isGiven(payload) ? `, ${toOneLine(describeAnswerPlace(payload))}` : "";
    return this.#message(payload, `User${place}`, { whole: true });
  }

  /** Returns the piece of a `meta` frame: a notice, reasoning, a repair message, or the instructions of a skill. */
  #meta(payload: FramePayload): FramePiece {
    const { kind } = payload;
    if (kind === "notice") return this.#notice(payload);
    if (kind !== "repair" && kind !== "reasoning") return this.#skill(payload);
    const isRepair = kind === "repair";
    if (this.#options.showMessages) {
      return this.#message(payload, isRepair ? "Repair" : "Reasoning");
    }
    const lines = textOf(payload, "content").split("\n").length;
    const text = isRepair
      ? textOf(payload, "message")
      : `Reasoning, ${formatPlural(lines, "line")}`;
    return this.#notice({ ...payload, level: isRepair ? "warn" : "info", content: text });
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
    const beside = sanitize(textOf(payload, "content")).trim();
    for (const [index, call] of calls.entries()) this.#calls.set(call.id || String(index), call);
    if (this.#callCount !== undefined && !this.#isTakenOver) this.#callCount += calls.length;
    this.#isObvious = this.#options.showCalls === true && calls.length === 1;
    return [
      ...(beside === "" ? [] : [this.#renderReply(payload, beside)]),
      ...(this.#options.showCalls ? calls : []).map((call) =>
        this.#step(payload, formatCall(call, this.#layout))
      ),
    ];
  }

  /** Returns the piece of a reply that is not the answer, such as the text beside tool calls. */
  #renderReply(payload: FramePayload, text: string): FramePiece {
    if (!this.#options.showTimes) return { kind: "reply", text };
    return this.#message({ ...payload, content: text }, "Model", { whole: true });
  }

  #answer(payload: FramePayload): FramePiece {
    const text = sanitize(textOf(payload, "content"));
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
    // The next frame contains the skill's instructions and is shown instead.
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
    // Shows a reply that did not become the answer, for example a truncated reply.
    if (this.#reply !== "") pieces.push(this.#renderReply(payload, sanitize(this.#reply)));
    this.#reply = "";
    if (this.#wouldDo !== undefined) {
      const lines = formatWouldDo(this.#wouldDo, numberOf(payload, "execution_id"), this.#layout);
      pieces.push(this.#step(payload, lines.join("\n")));
    }
    const mark = isDone ? this.#style.green(`✔ ${status}`) : this.#style.red(`✖ ${status}`);
    const figures = formatEnd(payload, this.#callCount ?? 0);
    const summary = figures === "" ? "" : this.#style.dim(` · ${figures}`);
    pieces.push(this.#sentence(payload, mark + summary));
    if (!isDone) {
      const error = sanitize(textOf(payload, "error")) || `The run ended as ${status}`;
      pieces.push({ kind: "failure", text: error });
    }
    return pieces;
  }
}
