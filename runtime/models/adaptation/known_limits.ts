// The limits of an endpoint that it has revealed by refusing requests. They are kept until the process ends. refusals.ts
// recognizes refusals, and retry.ts repeats the call.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { ToolDescription } from "../../vocabulary/tool_vocabulary.ts";
import { addSchemaToPrompt } from "../answer_schema.ts";
import type { ModelRequest } from "../model.ts";

/** The known limits of one model at one endpoint. */
export class KnownLimits {
  /**
   * The refused parts. An entry is the name of a parameter, `image`, `pdf`, `schema:X` (a keyword in a tool's schema) or
   * `field:X` (a stored field of a message). `fill:X` is the opposite: a field that every message with tool calls must
   * have.
   */
  readonly refused = new Set<string>();
  /** The context window in tokens, as an error message of the endpoint named it. */
  window: number | undefined;
  /**
   * The estimated tokens of the shortest conversation that was refused as too long, and of the longest that was accepted.
   */
  shortestRefused = Infinity;
  longestAccepted = 0;

  /** Returns descriptions of the limits, each for the end of a sentence about the endpoint. */
  describe(): string[] {
    const refused = [...this.refused].map((name) => {
      const [kind, field] = name.split(":", 2);
      if (field === undefined) return `it refuses ${name}, which is no longer sent`;
      if (kind === "fill") return `it requires ${field} in replies with calls`;
      const place = kind === "schema" ? "in the schemas of tools" : "in messages";
      return `it refuses ${field} ${place}, which is no longer sent`;
    });
    const tokens = this.window ??
      (this.shortestRefused < Infinity ? this.shortestRefused : undefined);
    return tokens === undefined
      ? refused
      : [...refused, `it accepts no conversation of about ${tokens} tokens or more`];
  }
}

/** Returns the request without the refused parts. */
export function withoutRefused(request: ModelRequest, { refused }: KnownLimits): ModelRequest {
  if (refused.size === 0) return request;
  const asked = refused.has("response_format") ? addSchemaToPrompt(request) : request;
  const keywords = [...refused].flatMap((one) =>
    one.startsWith("schema:") ? [one.slice("schema:".length)] : []
  );
  return {
    ...asked,
    refused,
    ...(refused.has("temperature") && { temperature: undefined }),
    ...(keywords.length > 0 && {
      tools: asked.tools.map((tool) => withoutKeywords(tool, new Set(keywords))),
    }),
  };
}

function withoutKeywords(tool: ToolDescription, keywords: ReadonlySet<string>): ToolDescription {
  const parameters = walkSchema(
    tool.parameters,
    (schema) =>
      Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.has(keyword))),
  );
  return { ...tool, parameters };
}

/** Returns the keywords that the schemas of the tools contain. */
export function keywordsOf(tools: readonly ToolDescription[]): Set<string> {
  const found = new Set<string>();
  for (const { parameters } of tools) {
    walkSchema(parameters, (schema) => {
      for (const keyword of Object.keys(schema)) found.add(keyword);
      return schema;
    });
  }
  return found;
}

/**
 * Schema keywords whose value maps names, such as those of properties, to schemas (NAMED), and keywords whose value is data
 * instead of a schema (DATA).
 */
const NAMED = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);
const DATA = new Set(["enum", "const", "default", "examples", "required"]);

/** Returns a copy of a schema. Applies `change` to the schema, then to each schema inside the result. */
function walkSchema(schema: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject {
  const inside = (value: JsonValue): JsonValue =>
    Array.isArray(value)
      ? value.map(inside)
      : isJsonObject(value)
      ? walkSchema(value, change)
      : value;
  return Object.fromEntries(
    Object.entries(change(schema)).map(([keyword, value]) => {
      if (DATA.has(keyword)) return [keyword, value];
      if (!NAMED.has(keyword) || !isJsonObject(value)) return [keyword, inside(value)];
      const named = Object.entries(value).map(([name, one]) => [name, inside(one)]);
      return [keyword, Object.fromEntries(named)];
    }),
  );
}
