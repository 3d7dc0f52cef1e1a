// Parses the text that a model wrote as a call's arguments. Repairs frequent syntax mistakes; never guesses a missing
// value.
import { isDeeperThan, isJsonObject, type JsonObject } from "../../../base/json.ts";
import { findJsonFault } from "./json_fault.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

const MAX_NESTED_STRINGS = 3;
/**
 * The maximum nesting depth of arguments. Deeper arguments are a mistake of the model, and would overflow the stack in
 * schema checks.
 */
export const MAX_LEVELS = 100;
const FENCED = /^```[a-zA-Z0-9]*[ \t]*\r?\n?([\s\S]*?)\r?\n?```$/;
const EXCERPT_CHARACTERS = 30;

/**
 * Returns the arguments object in a model's text. Empty text and `null` count as `{}`. Accepts a fenced code block,
 * trailing commas, and an object written as a JSON string. Throws ToolFailure with the first fault and its line and column.
 */
export function parseArguments(raw: string): JsonObject {
  let text = raw;
  for (let depth = 0; depth <= MAX_NESTED_STRINGS; depth++) {
    text = unfence(text.trim());
    if (text === "") return {};
    const value = parseJson(text);
    if (isDeeperThan(value, MAX_LEVELS)) {
      throw new ToolFailure(`The arguments are nested over ${MAX_LEVELS} levels deep.`);
    }
    if (value === null) return {};
    if (isJsonObject(value)) return value;
    if (typeof value !== "string") {
      const kind = Array.isArray(value) ? "an array" : `a ${typeof value}`;
      throw new ToolFailure(`The arguments must be one JSON object, not ${kind}.`);
    }
    text = value;
  }
  throw new ToolFailure("The arguments must be one JSON object, not text inside of text.");
}

/** Returns the checked arguments without defaults: leaves out each argument that `written` omits or sets to null. */
export function givenArguments(checked: JsonObject, written: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(checked).filter(([name, value]) =>
      Object.hasOwn(written, name) && (written[name] !== null || value === null)
    ),
  );
}

function unfence(text: string): string {
  return FENCED.exec(text)?.[1]?.trim() ?? text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const repaired = withoutTrailingCommas(text);
    if (repaired !== text) {
      try {
        return JSON.parse(repaired);
      } catch {
        // The error below reports the fault in the original text, because the model did not write the repaired text.
      }
    }
    throw new ToolFailure(complaint(text), { cause: error });
  }
}

/** Drops commas right before a closing bracket, except in strings. */
function withoutTrailingCommas(text: string): string {
  let result = "";
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (inString) {
      result += character;
      if (character === "\\") result += text.charAt(++i);
      else if (character === '"') inString = false;
      continue;
    }
    if (character === '"') inString = true;
    if (character === "," && /^\s*[}\]]/.test(text.slice(i + 1))) continue;
    result += character;
  }
  return result;
}

function complaint(text: string): string {
  const fault = findJsonFault(text);
  const position = fault?.position ?? text.length;
  const before = text.slice(Math.max(0, position - EXCERPT_CHARACTERS), position);
  const after = text.slice(position, position + EXCERPT_CHARACTERS);
  const line = text.slice(0, position).split("\n").length;
  const column = position - text.lastIndexOf("\n", position - 1);
  const place = after === ""
    ? `after ${JSON.stringify(before)}`
    : `between ${JSON.stringify(before)} and ${JSON.stringify(after)}`;
  return `The arguments are not valid JSON: at line ${line}, column ${column}, ${place}, ` +
    `${fault?.reason ?? "the text cannot be read"}. Write them as one JSON object.`;
}
