// The in-memory conversation of one running execution: messages by position, and the calls without a result.
import type { AssistantMessage, Message, ToolMessage, UserMessage } from "../../models/message.ts";

/** A message with its position in the conversation. */
export interface PlacedMessage {
  /**
   * The position of the message, beginning at 0. The results of a reply's calls have the positions right after the reply,
   * in the order of the calls.
   */
  position: number;
  message: Message;
}

/** A message as it was stored. */
export interface RecordedMessage extends PlacedMessage {
  /** True if the message comes from an earlier run. */
  seeded: boolean;
}

/** A message that a run begins with. */
export type FirstMessage = Omit<RecordedMessage, "position">;

/** A tool call of a reply whose result may be missing. */
export interface PlannedCall {
  /** The position of the call's result in the conversation. */
  position: number;
  toolCallId: string;
  name: string;
  arguments: string;
  /** True if the model wrote the call as text, see ToolCall. */
  written?: true;
}

/** The messages of one execution in memory. The store holds the same messages. */
export class Conversation {
  /** The messages by position. Undefined for a missing result. */
  readonly #messages: (Message | undefined)[] = [];
  #end = 0;

  constructor(messages: readonly PlacedMessage[] = []) {
    for (const placed of messages) this.add(placed);
  }

  /** The position of the next message. The results of the last reply's calls have their positions before it. */
  get nextPosition(): number {
    return this.#end;
  }

  /** Adds a message at its position. */
  add({ position, message }: PlacedMessage): void {
    this.#messages[position] = message;
    const reserved = message.role === "assistant" ? message.toolCalls.length : 0;
    this.#end = Math.max(this.#end, position + 1 + reserved);
  }

  /** Returns the messages in order. */
  messages(): Message[] {
    return this.#messages.filter((message) => message !== undefined);
  }

  /**
   * Returns the position of the instructions that a call of the last reply adds. Instructions follow all results of the
   * reply.
   */
  instructionsPosition(call: PlannedCall): number {
    const last = this.lastReply();
    if (last === undefined) throw new TypeError("Instructions belong to a reply");
    return call.position + last.message.toolCalls.length;
  }

  /** True if the model was already asked to repair its answer. */
  get isRepaired(): boolean {
    return this.#messages.some((message) => message?.role === "user" && message.repair);
  }

  /** Returns the last reply. Undefined if a user turn or a repair request follows it. */
  lastReply(): { position: number; message: AssistantMessage } | undefined {
    for (let position = this.#end - 1; position >= 0; position--) {
      const message = this.#messages[position];
      if (message?.role === "assistant") return { position, message };
      if (message?.role === "user" && message.injected && !message.repair) continue;
      if (message?.role === "user" || message?.role === "system") return undefined;
    }
    return undefined;
  }

  /** Returns the calls of the last reply that have no result yet. */
  openCalls(): PlannedCall[] {
    const last = this.lastReply();
    if (last === undefined) return [];
    return planCalls(last.message, last.position)
      .filter(({ position }) => this.#messages[position] === undefined);
  }
}

/** Returns the calls of a reply with the positions of their results. */
export function planCalls(reply: AssistantMessage, replyPosition: number): PlannedCall[] {
  return reply.toolCalls.map((call, index) => ({
    position: replyPosition + 1 + index,
    toolCallId: call.id,
    name: call.name,
    arguments: call.arguments,
    ...(call.written && { written: true }),
  }));
}

/** The part of a call's result that the model reads. */
export type ResultContent = Pick<ToolMessage, "content" | "isError" | "media">;

/** Converts the result of a call to a message. */
export function toToolMessage(
  call: PlannedCall,
  result: ResultContent,
): ToolMessage {
  return {
    role: "tool",
    toolCallId: call.toolCallId,
    toolName: call.name,
    content: result.content,
    isError: result.isError,
    ...(result.media && { media: result.media }),
  };
}

/** Converts instructions from a tool's result to an injected user message. */
export function toInstructions(
  { position, text }: { position: number; text: string },
): { position: number; message: UserMessage } {
  return { position, message: { role: "user", content: text, injected: true } };
}
