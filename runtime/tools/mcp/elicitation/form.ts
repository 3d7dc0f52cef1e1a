// Converts the form of an MCP server's elicitation to a question for a person, and the person's answer to the form's
// content.
import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../../base/json.ts";
import { cutEnd } from "../../../../base/text/cut_text.ts";
import { toPlainLine, toPlainText } from "../../../../base/text/plain_text.ts";
import type { HumanAnswer, ToolQuestion } from "../../definition/tool.ts";
import { ToolFailure } from "../../failures/tool_failure.ts";
import { compileArgumentsCheck } from "../../json_schema/arguments_check.ts";

const MESSAGE_CHARACTERS = 2_000;
const LINE_CHARACTERS = 200;
const MAX_FIELDS = 20;
const MAX_OPTIONS = 50;
/** The option of a choice, and the text of an answer, by which a person declines. */
const DECLINE_OPTION = "(decline)";
const DECLINE = "decline";

/** One field of a form. */
interface Field {
  name: string;
  schema: JsonObject;
  isRequired: boolean;
  /** The values that the field allows, by their names for people. Undefined: any value of the field's type. */
  options: ReadonlyMap<string, JsonValue> | undefined;
}

/**
 * Converts a form. A form without fields becomes a confirmation, a form with a single field of fixed values becomes a
 * choice, and any other form asks for a text. The question contains `server`, the server's name. `read` returns the result
 * for the server, and throws ToolFailure if the answer does not fit the form. Throws ToolFailure if the form is too big.
 */
export async function toForm(
  server: string,
  { message, requestedSchema }: Pick<ElicitRequestFormParams, "message" | "requestedSchema">,
): Promise<{ question: ToolQuestion; read(answer: HumanAnswer): ElicitResult }> {
  const schema: JsonObject = JSON.parse(JSON.stringify(requestedSchema));
  const fields = toFields(schema);
  const { check } = await compileArgumentsCheck("the form", schema);
  const accept = (content: JsonObject): ElicitResult => ({
    action: "accept",
    content: check(content) as NonNullable<ElicitResult["content"]>,
  });
  const [first] = fields;
  const single = fields.length === 1 ? first : undefined;
  const options = single?.options;
  const isList = single?.schema["type"] === "array";
  const asked = cutEnd(toPlainText(message).trim(), MESSAGE_CHARACTERS);
  const lines = [
    `The MCP server ${JSON.stringify(server)} asks: ${asked}`,
    ...(fields.length > 1 ? ["Answer with one line for each field:"] : []),
    ...fields.map(describe),
    ...(first !== undefined && options === undefined ? [`To decline, answer: ${DECLINE}`] : []),
  ];
  return {
    question: {
      kind: first === undefined ? "confirm" : options === undefined ? "input" : "choice",
      message: lines.join("\n"),
      options: options === undefined ? null : [...options.keys(), DECLINE_OPTION],
      multi: options !== undefined && isList,
    },
    read(answer) {
      if ("expired" in answer) return { action: "cancel" };
      if ("approved" in answer) return answer.approved ? accept({}) : { action: "decline" };
      if ("selected" in answer) {
        if (answer.selected.includes(DECLINE_OPTION)) return { action: "decline" };
        const values = answer.selected.map((one) => options?.get(one) ?? one);
        return accept({ [first?.name ?? ""]: isList ? values : values[0] ?? null });
      }
      if (answer.text.trim().toLowerCase() === DECLINE) return { action: "decline" };
      const texts = single === undefined
        ? readLines(answer.text, fields)
        : new Map([[single, answer.text]]);
      return accept(Object.fromEntries(
        [...texts].flatMap(([field, text]) => {
          const isLeftOut = text.trim() === "" && !field.isRequired;
          return isLeftOut ? [] : [[field.name, toValue(text, field)]];
        }),
      ));
    },
  };
}

function toFields({ properties, required }: JsonObject): Field[] {
  const entries = Object.entries(isJsonObject(properties) ? properties : {});
  if (entries.length > MAX_FIELDS) {
    throw new ToolFailure(`The form has over ${MAX_FIELDS} fields`);
  }
  return entries.map(([name, one]) => {
    const schema = isJsonObject(one) ? one : {};
    const isRequired = Array.isArray(required) && required.includes(name);
    return { name, schema, isRequired, options: optionsOf(schema) };
  });
}

/** Returns the values that a field allows: of a boolean, of an enumeration, or of the items of a list. */
function optionsOf(schema: JsonObject): Map<string, JsonValue> | undefined {
  const { type, items, enum: values, enumNames: names } = schema;
  if (type === "boolean") return new Map([["yes", true], ["no", false]]);
  if (type === "array") return isJsonObject(items) ? optionsOf(items) : undefined;
  const choices = Array.isArray(values)
    ? values.map((value, at) => ({ const: value, title: Array.isArray(names) ? names[at] : null }))
    : schema["oneOf"] ?? schema["anyOf"];
  if (!Array.isArray(choices)) return undefined;
  if (choices.length > MAX_OPTIONS) {
    throw new ToolFailure(`The form offers over ${MAX_OPTIONS} values for a field`);
  }
  return new Map(
    choices.filter(isJsonObject).map(({ const: value = "", title }) => [
      toPlainLine(String(title ?? value), LINE_CHARACTERS),
      value,
    ]),
  );
}

/** Returns the line about a field for a person: its name, its purpose and the values that it takes. */
function describe({ name, schema, isRequired, options }: Field): string {
  const { type, title, description, format, default: preset } = schema;
  const kind = options === undefined
    ? String(format ?? type)
    : `${type === "array" ? "several of " : ""}${[...options.keys()].join(" / ")}`;
  const notes = [kind, ...(isRequired ? [] : ["optional"])];
  if (preset !== undefined) notes.push(`default ${JSON.stringify(preset)}`);
  const purpose = [title, description].filter((one) => typeof one === "string").join(": ");
  const line = `${name} (${notes.join("; ")})${purpose === "" ? "" : `: ${purpose}`}`;
  return `- ${toPlainLine(line, LINE_CHARACTERS * 3)}`;
}

/** Reads an answer of one line for each field. Throws ToolFailure for a line without a field's name. */
function readLines(text: string, fields: readonly Field[]): Map<Field, string> {
  const found = new Map<Field, string>();
  for (const line of text.split("\n").filter((one) => one.trim() !== "")) {
    const [, name = "", value = ""] = /^\s*-?\s*([^:]+?)\s*:(.*)$/.exec(line) ?? [];
    const field = fields.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (field === undefined) {
      const names = fields.map((one) => one.name).join(", ");
      throw new ToolFailure(`A line must begin with the name of a field and a colon (${names})`);
    }
    found.set(field, value.trim());
  }
  return found;
}

/** Converts a text to a value of the field's type. A text that cannot be converted is returned, and refused later. */
function toValue(text: string, { schema, options }: Field): JsonValue {
  const named = (one: string) =>
    [...options ?? []].find(([name]) => name.toLowerCase() === one.trim().toLowerCase())?.[1] ??
      one.trim();
  if (schema["type"] === "array") return text.split(",").map(named);
  if (options !== undefined) return named(text);
  const isNumber = schema["type"] === "number" || schema["type"] === "integer";
  return isNumber && text.trim() !== "" && !Number.isNaN(Number(text)) ? Number(text) : text;
}
