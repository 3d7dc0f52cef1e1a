// The views of a run. The text view prints frames, streaming replies and a progress line, the view for programs JSON.
import type { StreamFrame } from "../../../api/client/client.ts";
import type { ExecutionDetail } from "../../../api/schemas/execution_schemas.ts";
import type { Clock } from "../../context/app.ts";
import { Activity } from "./activity.ts";
import { type FramePiece, FrameRenderer } from "./frames.ts";
import type { Output } from "../output.ts";
import { type FramePayload, numberOf, textOf } from "../../../present/payload.ts";
import type { ReplyView } from "./reply_view.ts";
import { toOneLine } from "../sanitize.ts";
import { describeCall } from "./tool_lines.ts";
import { toVisible } from "../../../present/visible_text.ts";

/** A view that prints the frames of one execution in their order. */
export interface RunView {
  /** True if the view prints replies while they stream. */
  readonly streams: boolean;
  show(frame: StreamFrame): void;
  /** Shows the progress line until the next frame. The default label of the line is replaced by `why`. */
  wait(why?: string): void;
  /**
   * Hides the progress line until the next frame or wait(). Called when a prompt uses the terminal, or the run has ended.
   */
  rest(): void;
}

/** Returns the view for programs: one line of JSON for each frame. It prints only complete replies. */
export function jsonView(output: Output): RunView {
  return { streams: false, show: ({ data }) => output.jsonLine(data), wait() {}, rest() {} };
}

/** The options of a text view. */
export interface TextViewOptions {
  output: Output;
  clock: Clock;
  /** True for a turn of a chat. Its first line with the agent's name and its line about the success are omitted. */
  isTurn: boolean;
  /** True if the caller asks the user the run's questions. The view then omits the lines about them. */
  asks: boolean;
  /** The execution and step that a fork started from; absent or null if the run is no fork. */
  takenOver?: ExecutionDetail["forked_from"];
}

/** Returns a view that prints a run as text. */
export async function openTextView(options: TextViewOptions): Promise<RunView> {
  return new TextView(options, await openReplies(options.output));
}

/** Returns a view that prints replies as Markdown. Imports the formatter only if the output is a terminal. */
export async function openReplies(output: Output): Promise<ReplyView | undefined> {
  if (!output.stdout.isTerminal) return undefined;
  const { ReplyView } = await import("./reply_view.ts");
  return new ReplyView(output);
}

const THINKING = "Thinking";
const WRITING = "Writing";

/**
 * A view that prints a run as text. At a terminal it prints everything on standard output, and replies while they stream.
 * Otherwise it prints the answer on standard output and the steps on standard error.
 */
class TextView implements RunView {
  readonly streams: boolean;
  readonly #output: Output;
  readonly #options: TextViewOptions;
  readonly #renderer: FrameRenderer;
  readonly #replies: ReplyView | undefined;
  readonly #activity: Activity;
  /** The text of the last reply that was completely printed while it streamed. */
  #shownReply: string | undefined;

  constructor(options: TextViewOptions, replies: ReplyView | undefined) {
    const { output, clock } = options;
    this.#output = output;
    this.#options = options;
    this.#replies = replies;
    // With --quiet only the answer is printed. The answer is known at the end of the run, so nothing streams.
    this.streams = replies !== undefined && !output.quiet;
    this.#renderer = new FrameRenderer({
      style: output.watchedStyle,
      columns: output.watched.columns,
      verbose: output.verbose,
      showCalls: output.live === undefined,
      stepsTakenOver: options.takenOver?.step ?? 0,
    });
    const preview = (height: number) => replies?.preview(height) ?? [];
    this.#activity = new Activity({ output, clock, preview });
  }

  wait(why = THINKING): void {
    this.#activity.begin(why);
  }

  rest(): void {
    this.#activity.rest();
  }

  show(frame: StreamFrame): void {
    const { event, payload } = frame;
    switch (event) {
      case "delta":
        return this.#showDelta(payload);
      case "waiting":
        return this.#showWaiting(payload);
      case "shutdown":
        return;
      default:
        this.#showFrame(payload);
        return this.#updateActivity(payload);
    }
  }

  #showDelta(payload: FramePayload): void {
    const { content, restart } = payload;
    const replies = this.#replies;
    if (replies === undefined || typeof content !== "string") return;
    if (restart === true && replies.isOpen) {
      replies.drop();
      this.#output.line(this.#output.style.dim("(the reply was cut off and starts again)"));
    }
    this.#activity.begin(WRITING, { isPart: true });
    this.#activity.received(content.length);
    replies.push(content);
  }

  #showFrame(payload: FramePayload): void {
    const type = payload["event_type"];
    if (this.#options.isTurn && isRoutine(payload) && !this.#output.verbose) return;
    if (this.#options.asks && type === "interrupt") return;
    const isReply = type === "tool_call" || type === "ai";
    if (type === "final_answer" && this.#shownReply === payload["content"]) {
      this.#shownReply = undefined;
      this.#output.line();
      return;
    }
    if (type === "complete") this.#replies?.drop();
    for (const piece of this.#renderer.render(isReply ? this.#withoutShown(payload) : payload)) {
      this.#showPiece(piece);
    }
  }

  /** Returns the frame of a reply with an empty text if the text is already printed. */
  #withoutShown(payload: FramePayload): FramePayload {
    const { content } = payload;
    if (!this.#replies?.isOpen || typeof content !== "string") {
      this.#replies?.drop();
      return payload;
    }
    // If the streamed pieces differ from the reply, for example after a lost connection, the whole reply is printed again.
    if (!this.#replies.end(content)) return payload;
    this.#shownReply = content;
    return { ...payload, content: "" };
  }

  #showPiece({ kind, text }: FramePiece): void {
    const output = this.#output;
    switch (kind) {
      case "step":
        return this.#showStep(text);
      case "reply":
        if (output.quiet) return;
        return this.#replies === undefined ? this.#showStep(text) : this.#replies.show(text);
      case "answer":
        if (this.#replies === undefined) return output.line(text);
        this.#replies.show(text, { alone: output.quiet });
        return output.quiet ? undefined : output.line();
      case "failure":
        return output.error(text);
      default:
        return kind satisfies never;
    }
  }

  #showStep(text: string): void {
    if (this.#output.quiet) return;
    if (this.#output.stdout.isTerminal) this.#output.line(text);
    else this.#output.errorLine(text);
  }

  /** Updates the progress line after a frame. */
  #updateActivity(payload: FramePayload): void {
    switch (payload["event_type"]) {
      case "stats":
        return this.#activity.counted(numberOf(payload, "total_tokens") ?? 0);
      case "tool_call":
      case "tool_result":
        return this.#activity.begin(this.#describeCalls());
      case "ai":
      case "interrupt":
      case "final_answer":
      case "complete":
        return this.#activity.rest();
      default:
        // A resting run does nothing until its next frame.
        return payload["pauses"] === true ? this.#activity.rest() : this.#activity.begin(THINKING);
    }
  }

  #describeCalls(): string {
    const [first, ...others] = this.#renderer.openCalls;
    if (first === undefined) return THINKING;
    const more = others.length === 0 ? "" : `(and ${others.length} more) `;
    return `${more}${describeCall(first)}`;
  }

  #showWaiting(payload: FramePayload): void {
    this.#activity.rest();
    for (const piece of this.#renderer.renderOpenCalls(payload)) this.#showPiece(piece);
    const { execution_id: id } = payload;
    const execution = toOneLine(String(id));
    const message = textOf(payload, "message");
    const question = message === "" ? "" : `: ${toVisible(message)}`;
    this.#output.notice(`Execution ${execution} waits for an answer${question}`);
    this.#output.notice(`Answer it with: inkling respond ${execution} ${flagsOf(payload)}`);
  }
}

/** Returns whether a chat omits the frame: the first line with the agent's name, and the line about the success. */
function isRoutine(payload: FramePayload): boolean {
  const type = payload["event_type"];
  return type === "execution_info" || (type === "complete" && payload["status"] === "success");
}

function flagsOf({ kind, tool_name: tool }: FramePayload): string {
  // The message names the command that signs in.
  if (tool === "sign_in") return "--no (to give up)";
  if (kind === "input") return '--text "…"';
  if (kind === "choice") return '--choice "…"';
  return "--yes (or --no)";
}
