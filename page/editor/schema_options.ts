// Finds the keys and values that a JSON Schema allows at a place.
import type { YamlPlace } from "./yaml_place.ts";

/** The language of a file: front matter with Markdown, YAML, or JSON. */
export type FileLanguage = "agent" | "skill" | "config" | "mcp";

/** The parts of a JSON Schema that completion reads. */
export interface FileSchema {
  description?: string;
  properties?: Readonly<Record<string, FileSchema>>;
  additionalProperties?: FileSchema | boolean;
  items?: FileSchema;
  anyOf?: readonly FileSchema[];
  enum?: readonly unknown[];
  const?: unknown;
  type?: string | readonly string[];
}

/** A key or value that can be written. */
export interface SchemaOption {
  label: string;
  /** The text to write. */
  apply: string;
  /** The description; empty if there is none. */
  info: string;
}

/** Returns the keys or values that the schema allows at a place. */
export function findOptions(schema: FileSchema, { path, isKey }: YamlPlace): SchemaOption[] {
  let found = alternatives(schema);
  for (const key of path) {
    found = found.flatMap((one) => {
      const inner = one.properties?.[key] ?? one.additionalProperties;
      return typeof inner === "object" ? alternatives(inner) : [];
    });
  }
  const options = isKey
    ? [...found.flatMap(keysOf), ...found.flatMap(valuesOf)]
    : found.flatMap(valuesOf);
  return [...new Map(options.map((one) => [one.label, one])).values()];
}

/** Returns the schema and everything that it allows instead, with the items of lists. */
function alternatives(schema: FileSchema): FileSchema[] {
  const inner = [...(schema.anyOf ?? []), ...(schema.items === undefined ? [] : [schema.items])];
  return [schema, ...inner.flatMap(alternatives)];
}

function keysOf({ properties = {} }: FileSchema): SchemaOption[] {
  return Object.entries(properties).map(([label, { description }]) => (
    { label, apply: `${label}: `, info: description ?? "" }
  ));
}

function valuesOf(schema: FileSchema): SchemaOption[] {
  const values = [
    ...(schema.enum ?? []),
    ...(schema.const === undefined ? [] : [schema.const]),
    ...([schema.type].flat().includes("boolean") ? [true, false] : []),
  ];
  return values.map(String).map((label) => ({ label, apply: label, info: "" }));
}
