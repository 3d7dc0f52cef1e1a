// Checks a call's arguments against the JSON schema of a custom tool or an MCP tool. The service checks only keywords that
// take bounded time. The check of all keywords runs in a process with a time limit.
import type { OutputUnit, Schema, Validator } from "@cfworker/json-schema";
import {
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
} from "../../../base/json.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { reduceSchema } from "./check_schema.ts";

const loadValidator = lazyModule(() => import("@cfworker/json-schema"));

/** The maximum number of reported errors. The first few suffice for the model to correct its call. */
const MAX_COMPLAINTS = 10;
/** Matches keywords whose error only repeats that a subschema reports an error. */
const CONTAINER =
  /^(properties|patternProperties|(additional|unevaluated)(Properties|Items)|items|prefixItems|allOf|if|then|else|dependentSchemas|\$(ref|dynamicRef|recursiveRef))$/;
/**
 * Keywords with alternative subschemas. Only their own error is reported, because the errors of each alternative are less
 * clear.
 */
const CHOICES = ["anyOf", "oneOf"];

/**
 * The maximum of sizeOf(schema) multiplied by sizeOf(value) for a check in the service. At this limit, a check takes some
 * milliseconds.
 */
const MAX_COMPARISONS = 50_000;
const CHARACTERS_OF_A_PART = 1_000;

/** The service's check of a tool's arguments against one schema. */
export interface ArgumentsCheck {
  /** Implements ToolDeclaration.check. */
  check(args: unknown): JsonObject;
  /** Returns true if `check` does not check everything that the schema demands of these arguments. */
  isPartial(args: JsonObject): boolean;
}

/**
 * Compiles the service's check of a tool's arguments. It returns the arguments with defaults of top-level properties filled
 * in, and throws ToolFailure with the errors. A `null` for an optional property that does not allow it counts as absent,
 * because some models send `null` for every optional argument.
 *
 * The check skips keywords that could take long. It skips the whole schema if the schema and the arguments are very big.
 */
export async function compileArgumentsCheck(
  tool: string,
  schema: JsonSchema,
): Promise<ArgumentsCheck> {
  const { Validator } = await loadValidator();
  const { reduced, isWhole } = reduceSchema(schema);
  const validator = new Validator(reduced as Schema, "2020-12", false);
  const isOverLimit = (args: JsonObject) => isTooBig(schema, args);
  return {
    check(args) {
      if (!isJsonObject(args)) {
        throw new ToolFailure(`The arguments of ${tool} must be one JSON object.`);
      }
      const given = withDefaults(withoutNulls(args, schema), schema);
      if (!isOverLimit(given)) refuseErrors(validator, given, { tool, schema });
      return given;
    },
    isPartial: (args) => !isWhole || isOverLimit(args),
  };
}

/**
 * Checks arguments against the whole schema. `$schema` selects the draft, by default 2020-12. Throws ToolFailure with the
 * errors, and if the part of the schema that applies to the arguments is invalid. The check may never end, so it must run
 * in a process with a time limit.
 */
export async function checkFully(
  args: JsonObject,
  { tool, schema }: { tool: string; schema: JsonSchema },
): Promise<void> {
  const { Validator } = await loadValidator();
  refuseErrors(new Validator(schema as Schema, draftOf(schema), false), args, { tool, schema });
}

function refuseErrors(
  validator: Validator,
  given: JsonObject,
  { tool, schema }: { tool: string; schema: JsonSchema },
): void {
  const errors = errorsOf(validator, given, tool);
  if (errors.length === 0) return;
  const complaints = complaintsOf(errors, Object.keys(propertiesOf(schema)));
  throw new ToolFailure(
    `The arguments do not fit ${tool}:\n${complaints.map((one) => `- ${one}`).join("\n")}`,
  );
}

/** Returns true if the check of a value against a schema would block the service's thread too long. */
export function isTooBig(schema: JsonSchema, value: JsonValue): boolean {
  return sizeOf(schema) * sizeOf(value) > MAX_COMPARISONS;
}

/** Returns the number of values in a JSON value, nested values included. A long text counts as several values. */
function sizeOf(value: JsonValue): number {
  if (typeof value === "string") return 1 + value.length / CHARACTERS_OF_A_PART;
  if (typeof value !== "object" || value === null) return 1;
  let size = 1;
  for (const one of Object.values(value)) size += sizeOf(one);
  return size;
}

function errorsOf(validator: Validator, given: JsonObject, tool: string): OutputUnit[] {
  try {
    const { valid, errors } = validator.validate(given);
    return valid ? [] : errors;
  } catch (cause) {
    // The validator resolves references and compiles patterns during the check, and throws if one is broken.
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ToolFailure(
      `The arguments of ${tool} cannot be checked, its schema is broken: ${reason}`,
      { cause },
    );
  }
}

/** Returns the draft that the schema's `$schema` names, by default the newest. */
export function draftOf(schema: JsonSchema): "4" | "7" | "2019-09" | "2020-12" {
  const named = typeof schema["$schema"] === "string" ? schema["$schema"] : "";
  if (named.includes("draft-04")) return "4";
  if (/draft-0[67]/.test(named)) return "7";
  return named.includes("2019-09") ? "2019-09" : "2020-12";
}

function propertiesOf(schema: JsonSchema): JsonObject {
  return isJsonObject(schema["properties"]) ? schema["properties"] : {};
}

function withoutNulls(args: JsonObject, schema: JsonSchema): JsonObject {
  const properties = propertiesOf(schema);
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.fromEntries(
    Object.entries(args).filter(([name, value]) =>
      value !== null || required.includes(name) ||
      // Object.hasOwn(), because a name such as `toString` is inherited and not a property of the schema.
      Object.hasOwn(properties, name) && allowsNull(properties[name])
    ),
  );
}

/** Returns true if a property's schema may allow null. Returns false only if `type`, `enum` or `const` excludes null. */
function allowsNull(schema: JsonValue | undefined): boolean {
  if (!isJsonObject(schema)) return schema !== undefined;
  if (Array.isArray(schema["enum"])) return schema["enum"].includes(null);
  if ("const" in schema) return schema["const"] === null;
  const { type } = schema;
  return type === undefined || type === "null" || (Array.isArray(type) && type.includes("null"));
}

function withDefaults(args: JsonObject, schema: JsonSchema): JsonObject {
  const defaults = Object.entries(propertiesOf(schema)).flatMap(([name, property]) => {
    const value = isJsonObject(property) ? property["default"] : undefined;
    return value === undefined || Object.hasOwn(args, name) ? [] : [[name, structuredClone(value)]];
  });
  // Object.fromEntries() instead of assignments, because `__proto__` is a valid name of an argument.
  return { ...args, ...Object.fromEntries(defaults) };
}

/** Returns the errors without those that only repeat an error of a subschema. */
export function causesOf(errors: readonly OutputUnit[]): OutputUnit[] {
  const causes = errors.filter(({ keyword }) => !CONTAINER.test(keyword));
  const choices = causes.filter(({ keyword }) => CHOICES.includes(keyword));
  return causes.filter((error) =>
    !choices.some((choice) => choice !== error && isInside(error, choice)) &&
    // If a property's value does not match its schema, the validator also reports the property as unknown.
    !(error.keyword === "false" &&
      causes.some((other) =>
        other.keyword !== "false" && isBelow(other.instanceLocation, error.instanceLocation)
      ))
  );
}

function complaintsOf(errors: readonly OutputUnit[], known: readonly string[]): string[] {
  const sentences = [...new Set(causesOf(errors).map((error) => complaintOf(error, known)))];
  if (sentences.length <= MAX_COMPLAINTS) return sentences;
  return [
    ...sentences.slice(0, MAX_COMPLAINTS),
    `and ${sentences.length - MAX_COMPLAINTS} more`,
  ];
}

function isInside(error: OutputUnit, choice: OutputUnit): boolean {
  return error.keywordLocation.startsWith(`${choice.keywordLocation}/`) &&
    isBelow(error.instanceLocation, choice.instanceLocation);
}

function isBelow(location: string, above: string): boolean {
  return location === above || location.startsWith(`${above}/`);
}

function complaintOf(error: OutputUnit, known: readonly string[]): string {
  const path = error.instanceLocation.split("/").slice(1).map(unescapePointer).join(".");
  if (error.keyword === "false") {
    const isTop = !path.includes(".");
    const hint = known.length === 0
      ? "; the tool has no arguments"
      : `; known are ${known.join(", ")}`;
    return `unknown argument "${path}"${isTop ? hint : ""}`;
  }
  const sentence = error.error.replace(/\.$/, "");
  if (error.keyword === "required") {
    const missing = /"(.*)"$/.exec(sentence)?.[1];
    if (missing !== undefined) return `"${path === "" ? "" : `${path}.`}${missing}" is missing`;
  }
  return path === "" ? sentence : `"${path}": ${sentence}`;
}

function unescapePointer(part: string): string {
  return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
}
