// What a server says of a tool, in short: enough to notice that it says something else by now, and to tell a person what.
import { createHash } from "node:crypto";
import { isJsonObject } from "../../../base/json.ts";
import { toPlainLine } from "../../../base/text/plain_text.ts";
import type { ListedTool } from "./listed_tool.ts";

const ARGUMENTS_CHARACTERS = 300;
const HINTS_CHARACTERS = 300;

/** A tool as its server described it. All texts are one plain line each. */
export interface ToolPrint {
  /** SHA-256, in hex, of all that the server says of it, as JSON with sorted keys. */
  digest: string;
  /** As far as models are told it. */
  description: string;
  /** The names of its arguments. */
  argumentNames: string;
  /** SHA-256 of the schema of its arguments. */
  schemaDigest: string;
  /** What it says of what its calls do, as JSON. */
  hints: string;
}

/** The print of a listed tool, whose description models are told as `told`. */
export function printOf(listed: ListedTool, told: string): ToolPrint {
  const { name, title, description, inputSchema, annotations = {} } = listed;
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

/** What has changed between two prints, a sentence each. */
export function describeChange(before: ToolPrint, now: ToolPrint): string[] {
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
    changes.push("What it says of its arguments has changed");
  }
  if (before.hints !== now.hints) {
    changes.push(`What it says of its effects was ${before.hints}`, `It is now ${now.hints}`);
  }
  return changes.length > 0
    ? changes
    : ["What has changed is its title, or beyond what models are told of it"];
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(sortedJson(value)).digest("hex");
}

/** JSON with the keys of every object in order, so that the same is written the same. */
function sortedJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, one: unknown) =>
      isJsonObject(one)
        ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => a < b ? -1 : 1))
        : one,
  );
}
