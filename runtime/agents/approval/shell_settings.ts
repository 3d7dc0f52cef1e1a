// Defines the field `shell` of an agent's file, which gives the agent a shell.
import { z } from "zod";
import { isJsonObject } from "../../../base/json.ts";
import { field, filledText, textList, variableName, waitDuration } from "../../config/fields.ts";
import { parsePattern } from "./command_patterns.ts";

const commandPatterns = z.array(filledText.refine(
  (text) => parsePattern(text) !== undefined,
  "must be the words of one command, such as `git log *`, with * only as the last word",
));

const SHELL = {
  allow: field(
    commandPatterns,
    [],
    "Commands of the tool `shell` that need no approval, such as `git log *`; `shell: true`: none",
  ),
  deny: field(
    commandPatterns,
    [],
    "Commands that are refused, with any further words; takes precedence over `allow` and approvals",
  ),
  net: field(
    textList,
    [],
    "Hosts that commands may reach in the sandbox, as `name`, `*.name` or `name:port`; `*` for every host",
  ),
  env: field(z.array(variableName), [], "Environment variables that commands get"),
  timeout: field(waitDuration, "2m", "Maximum time of one command"),
};

/** The schema of `shell`. The value `true` has all defaults, `false` is the same as an absent field. */
export const shellSchema = z.preprocess((value, context) => {
  if (value === true) return {};
  if (value == null || value === false) return undefined;
  if (isJsonObject(value)) return value;
  const message = `must be true, or a map with ${Object.keys(SHELL).join(", ")}`;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}, z.object(SHELL).optional());

/** The settings of an agent's shell. */
export interface ShellSettings extends Omit<z.output<z.ZodObject<typeof SHELL>>, "timeout"> {
  /** The maximum time of one command in milliseconds. */
  timeoutMs: number;
}

/** Converts the parsed field to the agent's settings. Undefined if the agent has no shell. */
export function toShellSettings(
  written: z.output<typeof shellSchema>,
): ShellSettings | undefined {
  if (written === undefined) return undefined;
  const { timeout, ...rest } = written;
  return { ...rest, timeoutMs: timeout };
}

/** Returns true if commands may reach some hosts, but not all. */
export function limitsHosts({ net }: Pick<ShellSettings, "net">): boolean {
  return net.length > 0 && !net.includes("*");
}
