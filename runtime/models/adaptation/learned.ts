// What an endpoint taught by its refusals, for the life of the process, and requests without what it refuses. refusals.ts
// recognizes refusals; retry.ts calls again.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { ToolDescription } from "../../tool_vocabulary.ts";
import { askInWords } from "../answer_schema.ts";
import type { ModelRequest } from "../model.ts";

/** One endpoint and model. */
export class Learned {
  /**
   * Names of parameters; `image` and `pdf`; `schema:X` for a keyword of a tool's schema, `field:X` for a kept field of a message, and `fill:X`
   * for one that no message with calls may lack.
   */
  readonly refused = new Set<string>();
  /** The tokens of its context window, as it said. */
  window: number | undefined;
  /** The tokens of the shortest conversation that it found too long, and of the longest that it took; as estimated. */
  tooLong = Infinity;
  fitting = 0;

  /** What it taught, as ends of a sentence about it. */
  describe(): string[] {
    const refused = [...this.refused].map((name) => {
      const [kind, field] = name.split(":", 2);
      if (field === undefined) return `it refuses ${name}, which is not sent any more`;
      if (kind === "fill") return `it insists on ${field} in replies with calls`;
      const place = kind === "schema" ? "in the schemas of tools" : "in messages";
      return `it refuses ${field} ${place}, which is not sent any more`;
    });
    const tokens = this.window ?? (this.tooLong < Infinity ? this.tooLong : undefined);
    return tokens === undefined
      ? refused
      : [...refused, `it takes no conversation of about ${tokens} tokens or more`];
  }
}

/** The request without what was refused. */
export function withoutRefused(request: ModelRequest, { refused }: Learned): ModelRequest {
  if (refused.size === 0) return request;
  const asked = refused.has("response_format") ? askInWords(request) : request;
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

/** The keywords in the schemas of tools. */
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

/** Keywords whose value holds schemas by names that people chose, and those whose value is data. */
const NAMED = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);
const DATA = new Set(["enum", "const", "default", "examples", "required"]);

/** A schema with each schema in it, itself first, as `change` makes it. */
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
