// Completes keys and values of the schema, names of tools, skills, servers and agents, and variables.
import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import type { EditorBody } from "../../api/schemas/file_schemas.ts";
import {
  type FileLanguage,
  type FileSchema,
  findOptions,
  type SchemaOption,
} from "./schema_options.ts";
import { findJsonPlace, findYamlPlace } from "./yaml_place.ts";

/** The names that are completed. */
export interface CompletionNames
  extends Pick<EditorBody, "tools" | "skills" | "servers" | "variables"> {
  schema: FileSchema | undefined;
  agents: readonly string[];
}

/** The keys whose values are names. */
const NAMED: Readonly<Record<string, keyof CompletionNames>> = {
  tools: "tools",
  auto_approve: "tools",
  confirm: "tools",
  confirm_tools: "tools",
  skills: "skills",
  mcp: "servers",
  agents: "agents",
  agent: "agents",
  after: "agents",
};

/** Returns the completions at the cursor, or null if there are none. */
export function complete(
  context: CompletionContext,
  { language, names }: { language: FileLanguage; names: CompletionNames },
): CompletionResult | null {
  const before = context.state.sliceDoc(0, context.pos).replaceAll("\r\n", "\n");
  const variable = /\$\{(\w*)$/.exec(before)?.[1];
  if (variable !== undefined) {
    const options = names.variables.map(({ name, is_set }) => (
      { label: name, apply: `${name}}`, info: is_set ? "Set" : "Not set", type: "variable" }
    ));
    return { from: context.pos - variable.length, options };
  }
  if (language === "mcp") return completeJson(context, before, names);
  const yaml = yamlBefore(before, language);
  if (yaml === undefined) return completeText(context, before, names);
  const place = findYamlPlace(yaml);
  if (place === undefined) return null;
  if (place.word === "" && !context.explicit) return null;
  const options = [
    ...(names.schema === undefined ? [] : findOptions(names.schema, place)),
    ...namesAt(place.path.at(-1), names),
  ];
  if (options.length === 0) return null;
  const from = context.pos - (/[\w./-]*$/.exec(place.word)?.[0].length ?? 0);
  return {
    from,
    options: options.map((one) => ({ ...one, type: "property" })),
    validFor: /^[\w./-]*$/,
  };
}

/** Completes the keys and values of the schema in JSON. In a string, the editor has already written both quotes. */
function completeJson(
  context: CompletionContext,
  before: string,
  { schema }: CompletionNames,
): CompletionResult | null {
  const { isQuoted, ...place } = findJsonPlace(before);
  if (schema === undefined || !isQuoted && !context.explicit) return null;
  const options = findOptions(schema, place).map(({ label, info }) => ({
    label,
    info,
    apply: isQuoted ? label : place.isKey ? `"${label}": ` : toLiteral(label),
    type: "property",
  }));
  const from = context.pos - (isQuoted ? place.word.length : 0);
  return options.length === 0 ? null : { from, options, validFor: /^[\w-]*$/ };
}

function toLiteral(value: string): string {
  return value === "true" || value === "false" ? value : JSON.stringify(value);
}

/** Returns the YAML before the cursor, or undefined if the cursor is in the text below the front matter. */
function yamlBefore(before: string, language: FileLanguage): string | undefined {
  if (language === "config") return before;
  const head = /^\uFEFF?---[ \t]*\n/.exec(before)?.[0];
  const rest = head === undefined ? "" : before.slice(head.length);
  return head === undefined || /^---[ \t]*$/m.test(rest) ? undefined : rest;
}

/** Completes the names of tools in a text. */
function completeText(
  context: CompletionContext,
  before: string,
  { tools }: CompletionNames,
): CompletionResult | null {
  const word = /\w+$/.exec(before)?.[0] ?? "";
  if (!context.explicit && !/^\w{2,}_/.test(word)) return null;
  return { from: context.pos - word.length, options: tools.map(toOption), validFor: /^\w*$/ };
}

function namesAt(key: string | undefined, names: CompletionNames): SchemaOption[] {
  const list = key === undefined ? undefined : NAMED[key];
  if (list === undefined || list === "schema" || list === "variables") return [];
  return names[list].map((one) => toOption(typeof one === "string" ? { name: one } : one));
}

function toOption(
  { name, description }: { name: string; description?: string | undefined },
): SchemaOption {
  return { label: name, apply: name, info: description ?? "" };
}
