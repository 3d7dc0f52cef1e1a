// Calculates the fingerprint of an MCP tool's description, by which a change is detected and shown to a person.
import { createHash } from "node:crypto";
import { isJsonObject, sortedJson } from "../../../../base/json.ts";
import { toPlainLine } from "../../../../base/text/plain_text.ts";
import type { ListedTool } from "./listed_tool.ts";

const ARGUMENTS_CHARACTERS = 300;
const HINTS_CHARACTERS = 300;

/** The digest and the main texts of a tool's description. Each text is one plain line. */
export interface ToolFingerprint {
  /** The SHA-256 hash of the whole description, which is serialized as JSON with sorted keys. In hexadecimal. */
  digest: string;
  /** The part of the description that the model gets. */
  description: string;
  /** The names of the tool's arguments, separated by commas. */
  argumentNames: string;
  /** The SHA-256 hash of the schema of the tool's arguments, in hexadecimal. */
  schemaDigest: string;
  /** The server's hints about the effects of calls, as JSON. */
  hints: string;
}

/** Returns the fingerprint of a listed tool. `told` is the description for the model. */
export function fingerprintOf(
  { name, title, description, inputSchema, annotations }: Omit<ListedTool, "execution">,
  told: string,
): ToolFingerprint {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  const hints = { readOnlyHint, destructiveHint, idempotentHint, openWorldHint };
  const all = {
    name,
    title,
    description,
    inputSchema,
    annotations: { ...hints, title: annotations["title"] },
  };
  const properties = isJsonObject(inputSchema) ? inputSchema["properties"] : undefined;
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  return {
    digest: digestOf(all),
    description: toPlainLine(told, told.length),
    argumentNames: toPlainLine(names.join(", "), ARGUMENTS_CHARACTERS),
    schemaDigest: digestOf(inputSchema),
    hints: toPlainLine(sortedJson(hints), HINTS_CHARACTERS),
  };
}

/** Returns the changes between two fingerprints, one sentence each. */
export function describeChange(before: ToolFingerprint, now: ToolFingerprint): string[] {
  const changes: string[] = [];
  if (before.description !== now.description) {
    changes.push(
      `Its description was ${JSON.stringify(before.description)}`,
      `It is now ${JSON.stringify(now.description)}`,
    );
  }
  if (before.argumentNames !== now.argumentNames) {
    changes.push(
      `Its arguments were ${before.argumentNames || "none"}`,
      `They are now ${now.argumentNames || "none"}`,
    );
  } else if (before.schemaDigest !== now.schemaDigest) {
    changes.push("The schema of its arguments has changed");
  }
  if (before.hints !== now.hints) {
    changes.push(`Its declared effects were ${before.hints}`, `They are now ${now.hints}`);
  }
  return changes.length > 0 ? changes : ["Its title has changed, or a text that models do not see"];
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(sortedJson(value)).digest("hex");
}
