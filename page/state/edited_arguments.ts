// The arguments of a call as fields of a form, and what a person made of them.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { ApiError } from "../../api/client/client_errors.ts";

/** One argument in the form: a text as it is, everything else as JSON. */
export interface ArgumentField {
  name: string;
  isJson: boolean;
  text: string;
}

/** Sentences by the name of the argument; those of none under the empty name. */
export type FieldProblems = Readonly<Record<string, string>>;

/** The fields of a call, in its order. */
export function toArgumentFields(args: JsonObject): ArgumentField[] {
  return Object.entries(args).map(([name, value]) =>
    typeof value === "string"
      ? { name, isJson: false, text: value }
      : { name, isJson: true, text: JSON.stringify(value, null, 2) }
  );
}

/** What the fields say, or what is wrong with them. */
export function readArgumentFields(
  fields: readonly ArgumentField[],
): { args: JsonObject } | { problems: FieldProblems } {
  const args: [string, JsonValue][] = [];
  const problems: [string, string][] = [];
  for (const { name, isJson, text } of fields) {
    try {
      args.push([name, isJson ? JSON.parse(text) : text]);
    } catch (error) {
      // What a person types is JSON or it is not; the parser says where it stopped.
      problems.push([name, `This is no JSON: ${error instanceof Error ? error.message : error}`]);
    }
  }
  return problems.length > 0
    ? { problems: Object.fromEntries(problems) }
    : { args: Object.fromEntries(args) };
}

/** A line of a refusal that begins with the place of an argument: `- "path": must not be empty`. */
const NAMED = /^(?:- )?"([^"]+)"(?:: )?(.*)$/;

/**
 * What a refusal says, each line at the argument that it names. Null for what is no refusal of arguments.
 */
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
      const said = place === name ? sentence.trim() : `${place}: ${sentence.trim()}`;
      problems[name] = [problems[name], said].filter((one) => one).join("; ");
    }
  }
  // The line above the list says no more than the list, where all of it has found its place.
  const isSaid = general.length === 1 && general[0]?.endsWith(":") && Object.keys(problems).length;
  return isSaid || general.length === 0 ? problems : { ...problems, "": general.join("\n") };
}
