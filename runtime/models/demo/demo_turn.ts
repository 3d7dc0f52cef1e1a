// What a demo model looks at: the task and the turn at hand, in a conversation as the runtime keeps it.
import type { Message, ToolMessage } from "../message.ts";

/** The conversation since the last user turn, with the task above it. */
export class DemoTurn {
  /** The last user turn's text. */
  readonly userText: string;
  /** The system message's text; empty when there is none. */
  readonly systemText: string;
  /** How many replies this turn has had already. */
  readonly replies: number;
  /** Results of the tool calls of this turn, in order. */
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

  /** The agent's own text: the system message's task section, or all of it where there is no such section. */
  get task(): string {
    const { systemText } = this;
    return /<task>([\s\S]*)<\/task>/.exec(systemText)?.[1] ?? systemText;
  }
}
