// The commands that people can send to a bot.
import type { ChatRight } from "../../runtime/vocabulary/rights.ts";

/** The commands by name, each with the right that it needs and its line of help. */
export const COMMANDS = {
  new: { right: "chat", help: "Begin another conversation" },
  cancel: { right: "chat", help: "Cancel your running message, or an execution by its number" },
  pending: { right: "answer", help: "Show the open questions" },
  recap: { right: "answer", help: "Show what happened in the last 24 hours" },
  agents: { right: "start", help: "List the agents, and choose the one that answers you" },
  run: { right: "start", help: "Start an agent: its name, then a message" },
  help: { right: undefined, help: "Show what you can do here" },
  start: { right: undefined, help: "Show what you can do here" },
} as const satisfies Record<string, { right: ChatRight | undefined; help: string }>;

/** Returns a text whose command begins with a slash. `!name` is a command, too, because some apps keep `/name`. */
export function toCommand(text: string): string {
  return text.replace(/^!(?=[a-z]+(?:\s|$))/, "/");
}

/** The name of a command. */
export type CommandName = keyof typeof COMMANDS;
