// What a person sees of a run while it goes on: its frames as text, replies as they come; or the frames as JSON.
import type { StreamFrame } from "../../server/client.ts";
import { type FramePayload, type FramePiece, FrameRenderer } from "./frames.ts";
import type { Output } from "./output.ts";
import { sanitise, toOneLine } from "./sanitise.ts";
import { StreamedReply } from "./streamed_reply.ts";

/** Shows the frames of one execution in their order. */
export interface RunView {
  /** Whether it has a use for deltas. */
  readonly streams: boolean;
  show(frame: StreamFrame): void;
}

/** How much a text view shows. */
export interface TextViewOptions {
  /** A turn of a chat: it needs no heading, and no word that it went well. */
  isTurn: boolean;
  /** The questions of the run are put to the person here: they need no line of their own. */
  asks: boolean;
}

/** The frames' payloads, one on each line. */
export class JsonView implements RunView {
  readonly streams = false;
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
  }

  show({ data }: StreamFrame): void {
    this.#output.jsonLine(data);
  }
}

/**
 * Text. On a terminal everything is shown on standard output, replies as they come; elsewhere only the answer goes
 * there and the steps to standard error.
 */
export class TextView implements RunView {
  readonly streams: boolean;
  readonly #output: Output;
  readonly #options: TextViewOptions;
  readonly #renderer: FrameRenderer;
  readonly #reply = new StreamedReply();
  /** The last reply that was shown whole while it came. */
  #shownReply: string | undefined;

  constructor(output: Output, options: TextViewOptions) {
    const { isTerminal } = output.stdout;
    this.#output = output;
    this.#options = options;
    // Which of the replies is the answer shows at the end only, and --quiet shows nothing else.
    this.streams = isTerminal && !output.quiet;
    this.#renderer = new FrameRenderer({
      style: isTerminal ? output.style : output.errorStyle,
      columns: isTerminal ? output.stdout.columns : output.stderr.columns,
      verbose: output.verbose,
    });
  }

  show({ event, payload }: StreamFrame): void {
    switch (event) {
      case "delta":
        return this.#showDelta(payload);
      case "waiting":
        return this.#showWaiting(payload);
      case "shutdown":
        return;
      default:
        return this.#showFrame(payload);
    }
  }

  #showDelta(payload: FramePayload): void {
    const { content, restart } = payload;
    if (typeof content !== "string") return;
    if (restart === true) {
      const wasShown = this.#reply.isOpen;
      this.#closeReply();
      if (wasShown) this.#output.line(this.#output.style.dim("(it was cut off and starts anew)"));
    }
    const wasOpen = this.#reply.isOpen;
    const text = this.#reply.push(content);
    if (text !== "") this.#output.write(wasOpen ? text : `\n${text}`);
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
    if (type === "complete") this.#closeReply();
    const pieces = this.#renderer.render(isReply ? this.#withoutShown(payload) : payload);
    for (const piece of pieces) this.#showPiece(piece);
  }

  /** A reply's frame less the text that has been shown. */
  #withoutShown(payload: FramePayload): FramePayload {
    const { content } = payload;
    if (!this.#reply.isOpen || typeof content !== "string") {
      this.#reply.drop();
      return payload;
    }
    const rest = this.#reply.end(content);
    this.#output.line(rest ?? "");
    // What came is not what the reply is (the connection broke meanwhile, say): it is shown whole.
    if (rest === undefined) return payload;
    this.#shownReply = content;
    return { ...payload, content: "" };
  }

  #closeReply(): void {
    if (this.#reply.isOpen) this.#output.line();
    this.#reply.drop();
  }

  #showPiece({ kind, text }: FramePiece): void {
    const { isTerminal } = this.#output.stdout;
    switch (kind) {
      case "step":
        if (this.#output.quiet) return;
        if (isTerminal) this.#output.line(text);
        else this.#output.errorLine(text);
        return;
      case "answer":
        // Between steps on a terminal the answer stands apart; in a file it is the file.
        this.#output.line(isTerminal && !this.#output.quiet ? `\n${text}\n` : text);
        return;
      case "failure":
        this.#output.error(text);
        return;
      default:
        return kind satisfies never;
    }
  }

  #showWaiting(payload: FramePayload): void {
    const { execution_id: id, message, kind } = payload;
    const execution = toOneLine(String(id));
    const question = typeof message === "string" && message !== "" ? `: ${message}` : "";
    this.#output.errorLine(sanitise(`Execution ${execution} waits for an answer${question}`));
    this.#output.errorLine(`Answer it with: inkling respond ${execution} ${flagsOf(kind)}`);
  }
}

/** A frame that tells a person in a chat what they know already. */
function isRoutine(payload: FramePayload): boolean {
  const type = payload["event_type"];
  return type === "execution_info" || (type === "complete" && payload["status"] === "success");
}

function flagsOf(kind: unknown): string {
  if (kind === "input") return '--text "…"';
  if (kind === "choice") return '--choice "…"';
  return "--yes (or --no)";
}
