// Creates the JSON Schemas of the files that people write, for editors. Everything comes from the schemas that parse these
// files, with the descriptions of the tables in docs/.
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { definitionSchema } from "../../runtime/agents/definition.ts";
import { configSchema } from "../../runtime/config/config_schema.ts";
import {
  declaredEndpoint,
  declaredProgram,
} from "../../runtime/tools/mcp/servers_file/server_definition.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

const server = z.object({
  ...declaredProgram.shape,
  ...declaredEndpoint.shape,
  type: z.union([declaredProgram.shape.type, declaredEndpoint.shape.type]),
}).partial();
const servers = z.record(z.string(), server).optional();

/** The files with a JSON Schema. Other MCP clients have keys of their own in mcp-servers.json, so unknown keys are allowed. */
const FILES = {
  agent: {
    schema: definitionSchema.omit({ id: true }),
    title: "The front matter of an agent file of Inkling",
    isClosed: true,
  },
  config: { schema: configSchema, title: "config.yaml of Inkling", isClosed: true },
  mcp: {
    // The servers are in one of these maps, or at the top level.
    schema: z.object({
      $schema: z.string().optional(),
      inputs: z.unknown().optional(),
      mcpServers: servers,
      servers,
      mcp: z.object({ servers }).optional(),
    }).catchall(server),
    title: "mcp-servers.json of Inkling",
    isClosed: false,
  },
};

const created: { [kind in keyof typeof FILES]?: JsonSchema } = {};

/** Returns the JSON Schema (draft 7) of a file that people write. It is created once. */
export function createFileSchema(kind: keyof typeof FILES): JsonSchema {
  return created[kind] ??= create(FILES[kind]);
}

function create({ schema, title, isClosed }: (typeof FILES)[keyof typeof FILES]): JsonSchema {
  const document = z.toJSONSchema(schema, {
    io: "input",
    target: "draft-07",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const own = zodSchema as z.core.$ZodType as z.ZodType;
      if (own instanceof z.ZodObject) describeKeys(own, jsonSchema, { isClosed });
      if (own instanceof z.ZodPipe) addNotations(own, jsonSchema);
      flatten(jsonSchema);
      describeDefault(own, jsonSchema);
      for (const key of ["values", "synonym"]) delete jsonSchema[key];
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return { ...document, title };
}

/** A key is required only if the parser refuses its absence. */
function describeKeys(
  { shape }: z.ZodObject,
  json: JsonSchema,
  { isClosed }: { isClosed: boolean },
): void {
  const required = Object.keys(shape).filter((key) => !accepts(shape[key], undefined));
  delete json.required;
  if (required.length > 0) json.required = required;
  if (isClosed) json.additionalProperties = false;
}

/** The notations that parsers convert, each with an example. */
const NOTATIONS: readonly (readonly [example: unknown, schema: JsonSchema])[] = [
  ["5m", { type: "string", pattern: "^\\d+ ?[A-Za-z]" }],
  [3, { type: "number" }],
  [true, { type: "boolean" }],
  ["none", { const: "none" }],
  [null, { type: "null" }],
];
/** The keys that describe a value and do not restrict it. */
const ANNOTATIONS = ["description", "default", "values", "synonym"];
/** Texts that a list which may be written as one item accepts. */
const TEXTS = ["x", "x.y", "x@y.z"];

/**
 * Adds the notations that a parser converts, such as `none` or one text for a list. JSON Schema cannot express a conversion,
 * so examples show the accepted notations.
 */
function addNotations(schema: z.ZodPipe, json: JsonSchema): void {
  const base: JsonSchema = Object.fromEntries(
    Object.entries(json).filter(([key]) => !ANNOTATIONS.includes(key)),
  );
  const isAny = Object.keys(base).length === 0;
  // A schema without a type is a duration, or a text that only its parser can check.
  if (isAny && !accepts(schema, "5m")) return;
  const texts = [base, ...base.anyOf ?? []].flatMap((one) =>
    isSchema(one) && isSchema(one.items) && acceptsText(schema, one.items) ? [one.items] : []
  );
  const found = NOTATIONS.filter(([example]) =>
    accepts(schema, example) && (isAny || ![base, ...texts].some((one) => allows(one, example)))
  );
  const choices = [...texts, ...found.map(([, choice]) => choice)];
  if (choices.length === 0) return;
  for (const key of Object.keys(base)) delete json[key];
  json.anyOf = isAny ? choices : [base, ...choices];
}

/** Returns true if a list may be written as one of its items. */
function acceptsText(schema: z.ZodPipe, items: JsonSchema): boolean {
  return [...TEXTS, ...items.enum ?? []].some((text) => accepts(schema, text));
}

/** Joins alternatives inside of alternatives. */
function flatten(json: JsonSchema): void {
  if (json.anyOf === undefined) return;
  json.anyOf = json.anyOf.flatMap((one) => {
    const isOnlyChoices = isSchema(one) && Object.keys(one).join() === "anyOf";
    return isOnlyChoices ? one.anyOf ?? [] : [one];
  });
}

/** Keeps a default that the parser uses, and adds any other default to the description, because it is only explained. */
function describeDefault(schema: z.ZodType, json: JsonSchema): void {
  const { default: words } = schema.meta() ?? {};
  delete json.default;
  if (words === undefined || words === "required") return;
  const [written, absent] = [schema.safeParse(words), schema.safeParse(undefined)];
  const isUsed = written.success && absent.success && isDeepStrictEqual(written.data, absent.data);
  if (isUsed) json.default = words as z.core.JSONSchema.JSONSchema["default"];
  const shown = Array.isArray(words) ? words.join(", ") : String(words);
  if (shown !== "") json.description = `${json.description ?? ""} (default: ${shown})`;
}

function accepts(schema: z.core.$ZodType | undefined, value: unknown): boolean {
  return schema !== undefined && z.safeParse(schema, value).success;
}

/** Returns true if a JSON Schema may allow a value, by its type and list of values. */
function allows(json: JsonSchema, value: unknown): boolean {
  if (Array.isArray(json.anyOf)) {
    return json.anyOf.some((one) => isSchema(one) && allows(one, value));
  }
  if (Array.isArray(json.enum)) return json.enum.some((one) => one === value);
  if (json.const !== undefined) return json.const === value;
  const type = value === null ? "null" : typeof value;
  return [json.type].flat().some((one) => one === type || one === "integer" && type === "number");
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
