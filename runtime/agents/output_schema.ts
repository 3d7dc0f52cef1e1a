// Reads and checks the JSON Schema of an agent's answer, from the agent file or from its own file.
import type { Directories } from "../config/directories.ts";
import { formatPath, listWords, showValue } from "../config/files/shown_value.ts";
import { diagnose, type DiagnosedFile } from "../config/files/diagnosed_file.ts";
import type { YamlPath } from "../config/files/yaml_document.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { isEnvFileName } from "../../base/files/env_file_name.ts";
import { knownRealPath } from "../../base/files/known_real_path.ts";
import { isBelow } from "../../base/files/path_below.ts";
import { unreadableReason } from "../../base/files/unreadable.ts";
import { isDeeperThan, isJsonObject, isWholeJson, type JsonSchema } from "../../base/json.ts";
import { valueAt } from "../../base/text/json_pointer.ts";
import { decodePercents } from "../../base/text/percent_encoding.ts";
import { basename, dirname, relative } from "../../base/plain_path.ts";

/** The source of the output schema: the agent file, or the file at this absolute path. */
export type AgentOutput = { schema: JsonSchema } | { file: string };

/** Error: the output schema cannot be used, so the agent cannot run. The message contains no secrets. */
export class OutputSchemaUnusable extends Error {
  override readonly name = "OutputSchemaUnusable";
}

/** A problem of a schema with its position. */
interface SchemaProblem {
  at: YamlPath;
  /** The end of a sentence that begins with the position. */
  message: string;
}

const MAX_BYTES = 64 * 1_024;
const MAX_DEPTH = 64;
const MAX_PROBLEMS = 10;

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"];
const SCHEMA_MAPS = [
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"],
];
const SCHEMA_LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const SCHEMAS = [
  ...["items", "additionalItems", "additionalProperties", "contains", "propertyNames", "not"],
  ...["if", "then", "else", "unevaluatedItems", "unevaluatedProperties"],
];
const NUMBERS = ["minimum", "maximum", "multipleOf"];
const COUNTS = [
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"],
  ...["minContains", "maxContains"],
];

/** Returns the problems of the schema in an agent file. */
export function checkOutput(file: DiagnosedFile): Diagnostic[] {
  const output = file.document.value["output"];
  const schema = isJsonObject(output) ? output["schema"] : undefined;
  return isJsonObject(schema) ? diagnoseSchema(schema, file, ["output", "schema"]) : [];
}

/** Returns the problems of a schema at this position of a file as diagnostics. */
export function diagnoseSchema(
  schema: JsonSchema,
  file: DiagnosedFile,
  at: YamlPath,
): Diagnostic[] {
  return findProblems(schema).map((problem) => {
    const place = [...at, ...problem.at];
    return diagnose(file, place, { message: `${formatPath(place)} ${problem.message}` });
  });
}

/** Reads the output schema of an agent. Undefined if any text is an answer. Throws OutputSchemaUnusable. */
export async function readOutputSchema(
  output: AgentOutput | undefined,
  directories: Pick<Directories, "workspace" | "toolsDir">,
): Promise<JsonSchema | undefined> {
  if (output === undefined) return undefined;
  if ("schema" in output) return output.schema;
  const unusable = (reason: string) =>
    new OutputSchemaUnusable(`output.schema cannot be used: ${output.file} ${reason}`);
  const forbidden = describeForbidden(output.file, directories);
  if (forbidden !== undefined) throw unusable(forbidden);
  const schema = parse(await readText(output.file, unusable), unusable);
  const [problem] = findProblems(schema);
  if (problem === undefined) return schema;
  const place = problem.at.length === 0 ? "" : `is not a schema: ${formatPath(problem.at)} `;
  throw unusable(`${place}${problem.message}`);
}

/**
 * Returns the reason why a schema's path is forbidden. Only the agent's own files are allowed, because the schema is sent
 * to the model's provider.
 */
function describeForbidden(
  file: string,
  { workspace, toolsDir }: Pick<Directories, "workspace" | "toolsDir">,
): string | undefined {
  const real = knownRealPath(file);
  const folders = [workspace, dirname(toolsDir)].map(knownRealPath);
  const folder = folders.find((one) => isBelow(real, one));
  if (folder === undefined) {
    return "must lie in the workspace or in agents/_config" +
      (real === file ? "" : `, and leads to ${real}`);
  }
  const names = [basename(file), ...relative(folder, real).split("/")];
  return names.some(isEnvFileName) ? "must not be an .env file" : undefined;
}

async function readText(file: string, unusable: (reason: string) => Error): Promise<string> {
  try {
    const info = await Deno.stat(file);
    // Only a regular file is opened, because opening a named pipe would wait forever.
    if (!info.isFile) throw unusable("is not a file");
    if (info.size > MAX_BYTES) throw unusable("is over 64 KB");
    return await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof OutputSchemaUnusable) throw error;
    if (error instanceof Deno.errors.NotFound) throw unusable("does not exist");
    throw unusable(`cannot be read: ${unreadableReason(error)}`);
  }
}

function parse(text: string, unusable: (reason: string) => Error): JsonSchema {
  const plain = text.replace(/^\uFEFF/, "");
  // The parser's message is not shown, because it quotes the file. The path may name the wrong file, and that file may
  // contain secrets.
  if (!isWholeJson(plain)) throw unusable("is not JSON");
  const schema: unknown = JSON.parse(plain);
  if (!isJsonObject(schema)) throw unusable("is not a schema: it must be a JSON object");
  return schema;
}

function findProblems(schema: JsonSchema): SchemaProblem[] {
  if (isDeeperThan(schema, MAX_DEPTH)) {
    return [{ at: [], message: `is nested over ${MAX_DEPTH} levels deep` }];
  }
  if (new TextEncoder().encode(JSON.stringify(schema)).length > MAX_BYTES) {
    return [{ at: [], message: "is over 64 KB" }];
  }
  return inSchema(schema, [], schema).slice(0, MAX_PROBLEMS);
}

function inSchema(schema: unknown, at: YamlPath, root: JsonSchema): SchemaProblem[] {
  if (typeof schema === "boolean") return [];
  if (!isJsonObject(schema)) {
    return [{ at, message: `must be a schema (a map), got ${showValue(schema)}` }];
  }
  return Object.entries(schema).flatMap(([keyword, value]) =>
    inKeyword(keyword, value, { at: [...at, keyword], root })
  );
}

function inKeyword(
  keyword: string,
  value: unknown,
  { at, root }: { at: YamlPath; root: JsonSchema },
): SchemaProblem[] {
  const must = (message: string) => [{ at, message: `must ${message}, got ${showValue(value)}` }];
  const each = (list: readonly unknown[]) =>
    list.flatMap((one, index) => inSchema(one, [...at, index], root));
  if (SCHEMA_MAPS.includes(keyword)) {
    if (!isJsonObject(value)) return must("be a map of schemas");
    return Object.entries(value).flatMap(([name, one]) => [
      ...(keyword === "patternProperties" ? inPattern(name, [...at, name]) : []),
      ...inSchema(one, [...at, name], root),
    ]);
  }
  if (SCHEMA_LISTS.includes(keyword)) {
    return Array.isArray(value) && value.length > 0 ? each(value) : must("be a list of schemas");
  }
  if (SCHEMAS.includes(keyword)) {
    return keyword === "items" && Array.isArray(value) ? each(value) : inSchema(value, at, root);
  }
  if (keyword === "type") {
    const names = Array.isArray(value) ? value : [value];
    const isKnown = names.length > 0 && names.every((one) => TYPES.some((type) => type === one));
    return isKnown ? [] : must(`be ${listWords(TYPES)}, or a list of these`);
  }
  if (keyword === "required") {
    const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
    return isList ? [] : must("be a list of names");
  }
  if (keyword === "enum") {
    return Array.isArray(value) && value.length > 0 ? [] : must("be a list of values");
  }
  if (NUMBERS.includes(keyword)) return Number.isFinite(value) ? [] : must("be a number");
  if (COUNTS.includes(keyword)) {
    return Number.isInteger(value) && Number(value) >= 0 ? [] : must("be a whole number");
  }
  if (keyword === "pattern") return inPattern(value, at);
  if (keyword === "$ref") return isDangling(value, root) ? must("lead into the schema") : [];
  return [];
}

function inPattern(pattern: unknown, at: YamlPath): SchemaProblem[] {
  try {
    if (typeof pattern === "string" && new RegExp(pattern, "u")) return [];
  } catch {
    // The error is reported below, as for a file that is no text.
  }
  return [{ at, message: `must be a regular expression, got ${showValue(pattern)}` }];
}

/** Returns true if a reference is neither `#` nor `#/` with a JSON pointer to an existing value. */
function isDangling(reference: unknown, root: JsonSchema): boolean {
  if (reference === "#") return false;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return true;
  const place = valueAt(root, decodePercents(reference.slice(1)));
  return typeof place !== "boolean" && !isJsonObject(place);
}
