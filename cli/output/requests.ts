// A question to a person as text: what is about to happen, whole, and with nothing in it that could deceive.
import type { PendingBody } from "../../server/schemas/request_schemas.ts";
import { formatWholeArgument } from "./arguments.ts";
import type { Style } from "./style.ts";
import { toVisible, toVisibleLine } from "./visible_text.ts";

/** A question of more than this is shown above its prompt, not in it. */
const PROMPT_CHARACTERS = 160;

/** The question where it fits into a prompt; undefined for one that must be shown above it. */
export function promptMessage({ message }: PendingBody): string | undefined {
  const text = toVisible(message).trim();
  return text === "" || text.includes("\n") || text.length > PROMPT_CHARACTERS ? undefined : text;
}

/** What is shown above the prompt: the call that a person allows or denies, a long question. Empty: nothing. */
export function formatRequest(pending: PendingBody, style: Style): string {
  const lines: string[] = [];
  if (promptMessage(pending) === undefined) lines.push(toVisible(pending.message).trim());
  // The arguments of a tool that asks are the question itself.
  if (pending.kind === "confirm" && pending.tool_name !== "ask_user") {
    lines.push(`${style.yellow("?")} ${style.bold(toVisibleLine(pending.tool_name))}`);
    lines.push(
      ...Object.entries(pending.tool_args).map(([name, value]) =>
        formatWholeArgument(name, value, style)
      ),
    );
  }
  return lines.join("\n");
}
