// Converts the arguments of a call to form fields, and edited fields to arguments.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { ApiError } from "../../api/client/client_errors.ts";

/** One argument in the form: a text, or JSON for any other value. */
export interface ArgumentField {
  name: string;
  isJson: boolean;
  text: string;
}

/** Error messages by the name of the argument. Messages about the whole call have the empty name. */
export type FieldProblems = Readonly<Record<string, string>>;

/** Returns the fields for the arguments of a call. */
export function toArgumentFields(args: JsonObject): ArgumentField[] {
  return Object.entries(args).map(([name, value]) =>
    typeof value === "string"
      ? { name, isJson: false, text: value }
      : { name, isJson: true, text: JSON.stringify(value, null, 2) }
  );
}

/** Returns the arguments in the fields, or the problems of invalid fields. */
export function readArgumentFields(
  fields: readonly ArgumentField[],
): { args: JsonObject } | { problems: FieldProblems } {
  const args: [string, JsonValue][] = [];
  const problems: [string, string][] = [];
  for (const { name, isJson, text } of fields) {
    try {
      args.push([name, isJson ? JSON.parse(text) : text]);
    } catch (error) {
      problems.push([name, `Invalid JSON: ${error instanceof Error ? error.message : error}`]);
    }
  }
  return problems.length > 0
    ? { problems: Object.fromEntries(problems) }
    : { args: Object.fromEntries(args) };
}

/** Matches a line of a refusal that begins with the name of an argument: `- "path": must not be empty`. */
const NAMED = /^(?:- )?"([^"]+)"(?:: )?(.*)$/;

/** Returns the lines of a refusal, grouped by the arguments that they name, or null for another kind of error. */
export function toFieldProblems(error: unknown, names: readonly string[]): FieldProblems | null {
  if (!(error instanceof ApiError) || error.status !== 422 || typeof error.detail === "string") {
    return null;
  }
  const problems: Record<string, string> = {};
  const general: string[] = [];
  for (const line of error.detail.flatMap(({ msg }) => msg.split("\n"))) {
    const [, place = "", sentence = ""] = NAMED.exec(line) ?? [];
    const name = names.find((one) => place === one || place.startsWith(`${one}.`));
    if (name === undefined) general.push(line);
    else {
      const problem = place === name ? sentence.trim() : `${place}: ${sentence.trim()}`;
      problems[name] = [problems[name], problem].filter((one) => one).join("; ");
    }
  }
  // Drop the heading of the list if every line of the list belongs to an argument.
  const isHeading = general.length === 1 && general[0]?.endsWith(":") &&
    Object.keys(problems).length;
  return isHeading || general.length === 0 ? problems : { ...problems, "": general.join("\n") };
}
