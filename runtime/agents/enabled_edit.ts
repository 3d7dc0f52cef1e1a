// Writes `enabled` into the text of an agent file. Every other character stays.
import { isDeepStrictEqual } from "node:util";
import { formatDiagnostic } from "../../base/diagnostics.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { splitFrontMatter } from "../config/files/front_matter.ts";
import { parseAgent, type ParseAgentOptions } from "./parse_agent.ts";

/** Error: `enabled` cannot be written into the file. The message is the reason. */
export class EnabledNotWritten extends RuntimeError {
  readonly code: RuntimeErrorCode = "invalid";
}

/**
 * Returns the text with `enabled` changed: the line is removed, or `enabled: false` is written as the first line. Undefined
 * if nothing has to change. Throws EnabledNotWritten.
 */
export function editEnabled(
  { path, text }: { path: string; text: string },
  enabled: boolean,
  options: ParseAgentOptions,
): string | undefined {
  const parse = (one: string) =>
    parseAgent({ path, bytes: new TextEncoder().encode(one) }, options);
  const before = parse(text);
  if ("diagnostics" in before) {
    const error = before.diagnostics.find(({ severity }) => severity === "error");
    throw new EnabledNotWritten(error ? formatDiagnostic(error) : "its file is broken");
  }
  if (before.agent.enabled === enabled) return undefined;
  const rest = text.replace(/^enabled:[ \t]*(?:true|false)[ \t]*(?:#.*)?\r?\n/m, "");
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const parts = splitFrontMatter(rest);
  const hasHead = parts !== "unterminated" && parts.yaml !== null;
  const edited = enabled
    ? rest
    : hasHead
    ? rest.replace("\n", () => `\nenabled: false${end}`)
    : `---${end}enabled: false${end}---${end}${end}${rest}`;
  const after = parse(edited);
  // Positions of warnings change with the line.
  const isOnlyChange = "agent" in after && isDeepStrictEqual(
    { ...after.agent, warnings: [] },
    { ...before.agent, enabled, warnings: [] },
  );
  if (!isOnlyChange) throw new EnabledNotWritten(`write enabled: ${enabled} into ${path}`);
  return edited;
}
