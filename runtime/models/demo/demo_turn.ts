// The input of a demo model: the task and the current turn of the conversation.
import type { Message, ToolMessage } from "../message.ts";

/** The part of a conversation that a demo model reads: the messages since the last user message, and the task. */
export class DemoTurn {
  /** The text of the last user turn. */
  readonly userText: string;
  /** The text of the system message; empty if there is none. */
  readonly systemText: string;
  /** The number of the model's replies since the last user message. */
  readonly replies: number;
  /** The results of the tool calls since the last user message, in order. */
  readonly results: readonly ToolMessage[];

  constructor(messages: readonly Message[]) {
    const start = messages.findLastIndex((message) =>
      message.role === "user" && message.injected === undefined
    );
    const since = messages.slice(start + 1);
    this.userText = messages[start]?.content ?? "";
    this.systemText = messages.findLast((message) => message.role === "system")?.content ?? "";
    this.replies = since.filter((message) => message.role === "assistant").length;
    this.results = since.filter((message) => message.role === "tool");
  }

  /** The text of the agent's file: the task section of the system message, or the whole message without such a section. */
  get task(): string {
    const { systemText } = this;
    return /<task>([\s\S]*)<\/task>/.exec(systemText)?.[1] ?? systemText;
  }
}
