// Parses the lines that a user types in a chat: messages for the model, and commands such as `/help`.

const COMMANDS = {
  "/help": ["help", "show these commands"],
  "/clear": ["clear", "start a new conversation, without memory of this one"],
  "/retry": ["retry", "send your last message again"],
  "/cost": ["cost", "show the turns, tokens and cost of this chat"],
  "/model": ["model", "show the agent's model"],
  "/exit": ["end", "end the chat and show the command that continues it"],
  "/quit": ["end", "the same"],
} as const;

/** A parsed line of a chat. Only the text of `say` is sent to the model. */
export type ChatLine =
  | { kind: "say"; text: string }
  | { kind: "help" | "clear" | "retry" | "cost" | "model" | "end" | "nothing" }
  | { kind: "unknown"; text: string };

/** Parses a line. A slash begins a command. Two slashes begin a message whose text starts with one slash. */
export function readChatLine(line: string): ChatLine {
  const text = line.trim();
  if (text === "") return { kind: "nothing" };
  if (text.startsWith("//")) return { kind: "say", text: text.slice(1) };
  if (!text.startsWith("/")) return { kind: "say", text };
  if (!Object.hasOwn(COMMANDS, text)) return { kind: "unknown", text };
  return { kind: COMMANDS[text as keyof typeof COMMANDS][0] };
}

/** Returns a line of help for each command and key of a chat. */
export function describeCommands(): string[] {
  return [
    ...Object.entries(COMMANDS).map(([name, [, meaning]]) => `${name.padEnd(10)} ${meaning}`),
    "//text     send a text that begins with a slash",
    "Alt+Enter  insert a line break; Enter sends the message",
    "Ctrl+C     cancel an answer; at the prompt, end the chat",
  ];
}

/** The names of the chat commands, separated by commas. */
export const COMMAND_NAMES = Object.keys(COMMANDS).join(", ");
