// A schema as what a person writes meets it: the parts of it behind optional, default, transformations and unions.
import { z } from "zod";
import type { YamlPath } from "./files/yaml_document.ts";

/** A key that no schema knows, and the keys that it could be instead. */
export interface UnknownKey {
  path: YamlPath;
  known: string[];
}

/** Every unknown key inside a value, in its order; what is below one is not looked at. */
export function findUnknownKeys(schema: z.ZodType, value: unknown): UnknownKey[] {
  return unknownKeys(schema, value, []);
}

/** Every null where a number is wanted that cannot be switched off: the schema takes it for one that is left out. */
export function findNullNumbers(
  schema: z.ZodType,
  value: unknown,
  path: YamlPath = [],
): YamlPath[] {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodObject) || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const field = childSchema(inner, key);
    if (field === undefined) return [];
    const at = [...path, key];
    if (child !== null) return findNullNumbers(field, child, at);
    const isDefaulted = field instanceof z.ZodPipe && !(field.out as z.ZodType).isNullable();
    return isDefaulted && unwrap(field) instanceof z.ZodNumber ? [at] : [];
  });
}

/** The schema of the value at a path; undefined where the schema says nothing of it. */
export function schemaAt(schema: z.ZodType, path: YamlPath): z.ZodType | undefined {
  let current: z.ZodType | undefined = schema;
  for (const key of path) {
    current = childSchema(unwrap(current, { isList: typeof key === "number" }), key);
  }
  return unwrap(current);
}

/**
 * Where else a key belongs, one level down, as `settings.temperature`: fields of which it is a synonym first. Empty where
 * several sections have it.
 */
export function placesOfKey(schema: z.ZodType, key: string): string[] {
  const root = unwrap(schema);
  if (!(root instanceof z.ZodObject)) return [];
  const fields = Object.keys(root.shape).flatMap((section) => {
    const inner = unwrap(childSchema(root, section));
    if (!(inner instanceof z.ZodObject)) return [];
    return Object.entries(inner.shape).map(([name, field]) => ({ section, name, field }));
  });
  const named = fields.filter(({ name }) => name === key);
  if (named.length > 1) return [];
  const meant = fields.filter(({ field }) => (field as z.ZodType).meta()?.["synonym"] === key);
  return [...meant, ...named].map(({ section, name }) => `${section}.${name}`);
}

function unknownKeys(
  schema: z.ZodType | undefined,
  value: unknown,
  path: YamlPath,
): UnknownKey[] {
  const inner = unwrap(schema, { isList: Array.isArray(value) });
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => unknownKeys(childSchema(inner, i), item, [...path, i]));
  }
  if (typeof value !== "object" || value === null) return [];
  // One that stands for a list of one.
  if (inner instanceof z.ZodArray) return unknownKeys(childSchema(inner, 0), value, path);
  return Object.entries(value).flatMap(([key, child]) => {
    const at = [...path, key];
    if (inner instanceof z.ZodObject && !Object.hasOwn(inner.shape, key)) {
      return [{ path: at, known: Object.keys(inner.shape) }];
    }
    return unknownKeys(childSchema(inner, key), child, at);
  });
}

function childSchema(schema: z.ZodType | undefined, key: PropertyKey): z.ZodType | undefined {
  if (schema instanceof z.ZodObject) return schema.shape[String(key)];
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType;
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType;
  return undefined;
}

/**
 * The schema of the value as it is written: behind optional, nullable, default, transformations, and unions with a map, or with
 * a list where the value is one.
 */
function unwrap(
  schema: z.ZodType | undefined,
  written: { isList: boolean } = { isList: false },
): z.ZodType | undefined {
  if (
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  ) return unwrap(schema.unwrap() as z.ZodType, written);
  if (schema instanceof z.ZodPipe) {
    const side = schema.in instanceof z.ZodTransform ? schema.out : schema.in;
    return unwrap(side as z.ZodType, written);
  }
  if (schema instanceof z.ZodUnion) {
    const options = (schema.options as readonly z.ZodType[]).map((one) => unwrap(one, written));
    return options.find((one) =>
      written.isList
        ? one instanceof z.ZodArray
        : one instanceof z.ZodObject || one instanceof z.ZodRecord
    );
  }
  return schema;
}
