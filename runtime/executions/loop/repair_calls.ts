// Repairs tool calls that can mean only one thing: the names of tools in another case or with a prefix, and numbers and
// booleans that are written as text. Guards, previews and the log see the repaired calls.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { ToolCall } from "../../models/message.ts";
import { parseArguments } from "../../tools/definition/arguments.ts";
import { ToolFailure } from "../../tools/failures/tool_failure.ts";
import type { Toolbox } from "../../tools/toolbox.ts";

type Tools = Pick<Toolbox, "get" | "names">;

/** A prefix that some models write before the names of tools. */
const PREFIX = "functions.";
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const BOOLEAN = /^(?:true|false)$/i;

/** Returns the name of the only tool that a name can mean. Returns other names unchanged. */
export function repairName(name: string, tools: Tools): string {
  if (tools.get(name) !== undefined) return name;
  const wanted = (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name).toLowerCase();
  const [found, another] = tools.names().filter((one) => one.toLowerCase() === wanted);
  return found === undefined || another !== undefined ? name : found;
}

/** Returns a call with the name of an existing tool, and with values of the types that its schema demands, if possible. */
export function repairCall(call: ToolCall, tools: Tools): ToolCall {
  const name = repairName(call.name, tools);
  const named = name === call.name ? call : { ...call, name };
  const tool = tools.get(name);
  if (tool === undefined) return named;
  let args: JsonObject;
  try {
    args = parseArguments(call.arguments);
  } catch (error) {
    // The check of the call reports the fault to the model.
    if (error instanceof ToolFailure) return named;
    throw error;
  }
  const [before, after] = [args, repairValue(args, tool.parameters)].map((one) =>
    JSON.stringify(one)
  );
  return after === undefined || before === after ? named : { ...named, arguments: after };
}

/** Returns a value with every text converted that a schema allows only as a number or boolean. */
function repairValue(value: JsonValue, schema: JsonValue | undefined): JsonValue {
  if (!isJsonObject(schema)) return value;
  if (typeof value === "string") return toScalar(value, typesOf(schema));
  if (Array.isArray(value)) return value.map((one) => repairValue(one, schema.items));
  if (!isJsonObject(value)) return value;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const entries = Object.entries(value).map(([name, one]): [string, JsonValue] => [
    name,
    Object.hasOwn(properties, name) ? repairValue(one, properties[name]) : one,
  ]);
  return Object.fromEntries(entries);
}

function toScalar(text: string, types: readonly unknown[] | undefined): JsonValue {
  if (types === undefined || types.includes("string")) return text;
  if (types.includes("boolean") && BOOLEAN.test(text)) return text.toLowerCase() === "true";
  const number = NUMBER.test(text) ? Number(text) : NaN;
  // A number with more digits than a double has would become another number.
  if (Number.isInteger(number) ? !Number.isSafeInteger(number) : !Number.isFinite(number)) {
    return text;
  }
  return types.includes("number") || types.includes("integer") && Number.isInteger(number)
    ? number
    : text;
}

/** Returns the types that a schema allows, or undefined if it may allow any. */
function typesOf({ type, enum: values, anyOf, oneOf }: JsonObject): unknown[] | undefined {
  if (type !== undefined) return [type].flat();
  if (Array.isArray(values)) return values.map((one) => typeof one);
  const choices = anyOf ?? oneOf;
  if (!Array.isArray(choices)) return undefined;
  const types = choices.map((one) => isJsonObject(one) ? typesOf(one) : undefined);
  return types.includes(undefined) ? undefined : types.flatMap((one) => one ?? []);
}
