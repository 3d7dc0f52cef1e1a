// Writes the log messages and faults of an MCP server to the service log, as plain, redacted text of limited size, and
// converts its instructions to such text.
import { MinuteBudget } from "./mcp_limits.ts";
import type { Client } from "@modelcontextprotocol/client";
import type { Context } from "../../config/context.ts";
import { cutEnd } from "../../../base/text/cut_text.ts";
import { toPlainLine, toPlainText } from "../../../base/text/plain_text.ts";
import { Redactor } from "../../secrets/redactor.ts";
import type { Secret } from "../../secrets/secret.ts";
import { redactText } from "../../secrets/secret_marks.ts";

const LINE_CHARACTERS = 500;
const INSTRUCTIONS_CHARACTERS = 4_000;
const LINES_PER_MINUTE = 60;

/** Returns the text as one line without secrets and control characters, cut to the maximum length. */
export function toLogLine(text: string, secrets: readonly Secret[]): string {
  return toPlainLine(redactBeginning(text, secrets, LINE_CHARACTERS * 8), LINE_CHARACTERS);
}

/** Returns a server's instructions for models as plain text without the secrets of its entry, cut to the maximum length. */
export function toInstructions(text: string, secrets: readonly Secret[]): string {
  const beginning = redactBeginning(text, secrets, INSTRUCTIONS_CHARACTERS * 2);
  return cutEnd(toPlainText(beginning).trim(), INSTRUCTIONS_CHARACTERS);
}

/**
 * Returns the beginning of a text without secrets. Only the beginning of a very long text is searched for them. The caller
 * cuts the result again to a shorter length, so that no part of a secret remains at that cut.
 */
function redactBeginning(text: string, secrets: readonly Secret[], characters: number): string {
  return redactText(new Redactor(() => secrets).beginningOf(text, characters), secrets);
}

/** Logs a server's log messages and unreadable input at level debug. */
export function logServerMessages(
  client: Client,
  { name, secrets, clock, log }:
    & Pick<Context, "clock" | "log">
    & { name: string; secrets: readonly Secret[] },
): void {
  const budget = new MinuteBudget(clock, LINES_PER_MINUTE);
  const write = (text: string) => {
    const left = budget.take();
    if (left < 0) return;
    const more = left === 0 ? " (further lines of this minute are dropped)" : "";
    log.write("debug", toLogLine(text, secrets) + more, { server: name });
  };
  client.onerror = (error) => write(`Trouble with an MCP server: ${error.message}`);
  client.setNotificationHandler("notifications/message", ({ params: { level, data } }) => {
    write(
      `An MCP server says: ${level}: ${typeof data === "string" ? data : JSON.stringify(data)}`,
    );
  });
}
