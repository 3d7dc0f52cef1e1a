// Writes the log messages and faults of an MCP server to the service log, as plain, redacted text of limited size.
import { MinuteBudget } from "./mcp_limits.ts";
import type { Client } from "@modelcontextprotocol/client";
import type { Clock } from "../../../base/clock.ts";
import { toPlainLine } from "../../../base/text/plain_text.ts";
import { Redactor } from "../../secrets/redactor.ts";
import type { Secret } from "../../secrets/secret.ts";
import { redactText } from "../../secrets/secret_marks.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";

const LINE_CHARACTERS = 500;
const LINES_PER_MINUTE = 60;

/** Returns the text as one line without secrets and control characters, cut to the maximum length. */
export function toLogLine(text: string, secrets: readonly Secret[]): string {
  // Only the beginning of a very long text is searched for secrets. Redacted text is then cut again, to the length of a
  // line, so no part of a secret remains at that cut.
  const beginning = new Redactor(() => secrets).beginningOf(text, LINE_CHARACTERS * 8);
  return toPlainLine(redactText(beginning, secrets), LINE_CHARACTERS);
}

/** Logs a server's log messages and unreadable input at level debug. */
export function logServerMessages(
  client: Client,
  options: { name: string; secrets: readonly Secret[]; clock: Clock; log: ServiceLog },
): void {
  const { name, secrets, clock, log } = options;
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
