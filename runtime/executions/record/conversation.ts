// The conversation of one execution while it runs: messages at their places, and which calls still lack a result.
import type { AssistantMessage, Message, ToolMessage, UserMessage } from "../../models/message.ts";

/** A message at its place in the conversation. */
export interface PlacedMessage {
  /** 0-based; the results of a reply's calls have the places right after it, in the order of the calls. */
  position: number;
  message: Message;
}

/** A message that a run begins with, and whether an earlier run left it. */
export interface FirstMessage {
  message: Message;
  seeded: boolean;
}

/** A call the model asked for, kept from its reply until its result is logged. */
export interface PlannedCall {
  /** The place of its result in the conversation. */
  position: number;
  toolCallId: string;
  name: string;
  arguments: string;
  /** See ToolCall. */
  written?: true;
}

/** Grows by replies and results; the store holds the same. */
export class Conversation {
  /** By position, with holes where results are still to come. */
  readonly #messages: (Message | undefined)[] = [];
  #end = 0;

  constructor(messages: readonly PlacedMessage[] = []) {
    for (const placed of messages) this.add(placed);
  }

  /** The place of the next message. A reply's calls have theirs reserved, even before their results exist. */
  get nextPosition(): number {
    return this.#end;
  }

  /** Adds a message at its place. */
  add({ position, message }: PlacedMessage): void {
    this.#messages[position] = message;
    const reserved = message.role === "assistant" ? message.toolCalls.length : 0;
    this.#end = Math.max(this.#end, position + 1 + reserved);
  }

  /** The messages in order. */
  messages(): Message[] {
    return this.#messages.filter((message) => message !== undefined);
  }

  /** The place of the instructions that the result of this call of the last reply brings: after all its results. */
  instructionsPosition(call: PlannedCall): number {
    const last = this.lastReply();
    if (last === undefined) throw new TypeError("Instructions belong to a reply");
    return call.position + last.message.toolCalls.length;
  }

  /** Whether the model was asked for its answer once more already. */
  get isRepaired(): boolean {
    return this.#messages.some((message) => message?.role === "user" && message.repair);
  }

  /** The last reply, unless a person has spoken since, or it is to be mended. */
  lastReply(): { position: number; message: AssistantMessage } | undefined {
    for (let position = this.#end - 1; position >= 0; position--) {
      const message = this.#messages[position];
      if (message?.role === "assistant") return { position, message };
      if (message?.role === "user" && message.injected && !message.repair) continue;
      if (message?.role === "user" || message?.role === "system") return undefined;
    }
    return undefined;
  }

  /** Calls of the last reply that have no result yet. */
  openCalls(): PlannedCall[] {
    const last = this.lastReply();
    if (last === undefined) return [];
    return planCalls(last.message, last.position)
      .filter(({ position }) => this.#messages[position] === undefined);
  }
}

/** The calls of a reply with the places of their results. */
export function planCalls(reply: AssistantMessage, replyPosition: number): PlannedCall[] {
  return reply.toolCalls.map((call, index) => ({
    position: replyPosition + 1 + index,
    toolCallId: call.id,
    name: call.name,
    arguments: call.arguments,
    ...(call.written && { written: true }),
  }));
}

/** A call's result as a model reads and sees it. */
export type ResultContent = Pick<ToolMessage, "content" | "isError" | "media">;

/** The result of a call as a message. */
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

/** Instructions that a tool's result brings, as a message that nobody said. */
export function toInstructions(
  { position, text }: { position: number; text: string },
): { position: number; message: UserMessage } {
  return { position, message: { role: "user", content: text, injected: true } };
}
