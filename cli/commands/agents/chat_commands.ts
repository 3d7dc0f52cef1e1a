// What a line of a chat is: words for the model, or a command of the chat itself.

const COMMANDS = {
  "/help": ["help", "show these commands"],
  "/clear": ["clear", "begin a new conversation, which remembers nothing of this one"],
  "/retry": ["retry", "say your last message again"],
  "/cost": ["cost", "show turns, tokens and cost of this chat"],
  "/model": ["model", "show which model answers"],
  "/exit": ["end", "end the chat, and say how to go on with it"],
  "/quit": ["end", "the same"],
} as const;

/** What is done with a line. Only `say` reaches the model. */
export type ChatLine =
  | { kind: "say"; text: string }
  | { kind: "help" | "clear" | "retry" | "cost" | "model" | "end" | "nothing" }
  | { kind: "unknown"; text: string };

/** Reads a line. One that begins with a slash is a command; two slashes stand for one that is said. */
export function readChatLine(line: string): ChatLine {
  const text = line.trim();
  if (text === "") return { kind: "nothing" };
  if (text.startsWith("//")) return { kind: "say", text: text.slice(1) };
  if (!text.startsWith("/")) return { kind: "say", text };
  if (!Object.hasOwn(COMMANDS, text)) return { kind: "unknown", text };
  return { kind: COMMANDS[text as keyof typeof COMMANDS][0] };
}

/** The commands as lines, and the keys. */
export function describeCommands(): string[] {
  return [
    ...Object.entries(COMMANDS).map(([name, [, meaning]]) => `${name.padEnd(10)} ${meaning}`),
    "//text     say a text that begins with a slash",
    "Alt+Enter  a new line; Enter sends",
    "Ctrl+C     cancel an answer; at the prompt, end the chat",
  ];
}

/** The names of the commands, for a sentence. */
export const COMMAND_NAMES = Object.keys(COMMANDS).join(", ");
