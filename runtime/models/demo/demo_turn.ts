// The input of a demo model: the task and the current turn of a conversation.
import type { Message, ToolMessage } from "../message.ts";

/** The conversation since the last user turn, and the task. */
export class DemoTurn {
  /** The text of the last user turn. */
  readonly userText: string;
  /** The text of the system message; empty if there is none. */
  readonly systemText: string;
  /** The number of replies in this turn. */
  readonly replies: number;
  /** The results of this turn's tool calls, in order. */
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

  /** The agent's own text: the task section of the system message, or the whole message without such a section. */
  get task(): string {
    const { systemText } = this;
    return /<task>([\s\S]*)<\/task>/.exec(systemText)?.[1] ?? systemText;
  }
}
