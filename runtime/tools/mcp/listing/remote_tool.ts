// Converts the tools that a server lists into tools for a model.
import { cutEnd } from "../../../../base/text/cut_text.ts";
import type { JsonSchema } from "../../../../base/json.ts";
import { toPlainLine, toPlainText } from "../../../../base/text/plain_text.ts";
import type { Effect } from "../../definition/tool.ts";
import { listedTool } from "./listed_tool.ts";
import { fingerprintOf, type ToolFingerprint } from "./tool_fingerprint.ts";
import { toToolSchema } from "../../json_schema/foreign_schema.ts";

/** The maximum length of a description in UTF-16 code units. Some providers reject requests with a longer description. */
export const DESCRIPTION_CHARACTERS = 1_024;
/** The maximum length of a tool's name at its server, in UTF-16 code units. */
const NAME_CHARACTERS = 256;

/** A tool of an MCP server, with limited sizes and plain text. */
export interface RemoteTool {
  /** The name at the server. The name for the model may differ. */
  name: string;
  description: string;
  parameters: JsonSchema;
  effect: Effect;
  /** The fingerprint by which a change of the tool is detected. */
  fingerprint: ToolFingerprint;
}

/**
 * Returns the tools of one page of a server's list, and a sentence for each tool that is left out. `before` contains the
 * tools of the previous pages.
 */
export function toRemoteTools(
  listed: readonly unknown[],
  before: readonly RemoteTool[] = [],
): { tools: RemoteTool[]; problems: string[] } {
  const tools: RemoteTool[] = [];
  const known = new Set(before.map(({ name }) => name));
  const problems: string[] = [];
  for (const value of listed) {
    const { data: one } = listedTool.safeParse(value);
    if (one === undefined) {
      problems.push("One of its tools is left out: it has no name");
      continue;
    }
    const { name, title, description, inputSchema, annotations, execution } = one;
    const bounded = toToolSchema(inputSchema);
    const problem = "problem" in bounded
      ? bounded.problem
      : execution["taskSupport"] === "required"
      ? "it works only as a task, which Inkling does not support"
      : nameProblem(name, known);
    if ("problem" in bounded || problem !== undefined) {
      problems.push(`Its tool ${JSON.stringify(toPlainLine(name, 80))} is left out: ${problem}`);
      continue;
    }
    known.add(name);
    const annotated = annotations["title"];
    const told = toDescription(
      description ?? title ?? (typeof annotated === "string" ? annotated : ""),
    );
    tools.push({
      name,
      description: told,
      fingerprint: fingerprintOf(one, told),
      parameters: bounded.schema,
      // Decision: the hints of the server decide, because a person who names a server in an agent trusts it with more than
      // its hints (rejected: ignoring the hints).
      effect: annotations["readOnlyHint"] === true
        ? "read"
        : annotations["idempotentHint"] === true
        ? "idempotent"
        : "unsafe",
    });
  }
  return { tools, problems };
}

function toDescription(text: string): string {
  // The text is also cut before it is cleaned, because cleaning a very long text takes time.
  const plain = toPlainText(text.slice(0, DESCRIPTION_CHARACTERS * 4)).trim();
  return cutEnd(plain, DESCRIPTION_CHARACTERS);
}

function nameProblem(name: string, known: ReadonlySet<string>): string | undefined {
  if (known.has(name)) return "it is listed twice";
  return name === "" || name.length > NAME_CHARACTERS
    ? `its name must have 1 to ${NAME_CHARACTERS} characters`
    : undefined;
}
