// Converts between the runtime's values and the JSON of the API, by a response's schema. Field names change from camelCase
// to snake_case, times become timestamps, and fields that the schema does not declare are dropped.
import { z } from "zod";
import { toTimestamp } from "../../base/clock.ts";
import { type CamelCase, camelCase } from "../../base/text/key_case.ts";

/** The input of toWire() for a schema: undefined may replace null, and a time may be in milliseconds. */
export type Source<S> = S extends z.ZodISODateTime ? number | string
  : S extends z.ZodNullable<infer Inner> ? Source<Inner> | null | undefined
  : S extends z.ZodOptional<infer Inner> ? Source<Inner> | undefined
  : S extends z.ZodArray<infer Element> ? readonly Source<Element>[]
  : S extends z.ZodObject<infer Shape> ? SourceFields<Shape>
  : S extends z.ZodType ? z.output<S>
  : never;

type SourceFields<Shape> =
  & {
    [Key in keyof Shape as Shape[Key] extends z.ZodOptional ? never : CamelCase<Key>]: Source<
      Shape[Key]
    >;
  }
  & {
    [Key in keyof Shape as Shape[Key] extends z.ZodOptional ? CamelCase<Key> : never]?: Source<
      Shape[Key]
    >;
  };

type Convert = (value: unknown) => unknown;

/** The compiled conversions of the schemas. */
const CONVERSIONS = new WeakMap<z.ZodType, Convert>();

/** Converts a value of the runtime to the JSON that a schema describes. */
export function toWire(schema: z.ZodType, value: unknown): unknown {
  return conversionOf(schema)(value);
}

function conversionOf(schema: z.ZodType): Convert {
  const known = CONVERSIONS.get(schema) ?? compile(schema);
  CONVERSIONS.set(schema, known);
  return known;
}

function compile(schema: z.ZodType): Convert {
  if (schema instanceof z.ZodISODateTime) {
    return (value) => typeof value === "number" ? toTimestamp(value) : value;
  }
  if (schema instanceof z.ZodNullable) {
    const convert = conversionOf(schema.unwrap() as z.ZodType);
    return (value) => value == null ? null : convert(value);
  }
  if (schema instanceof z.ZodOptional) return conversionOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodArray) {
    const convert = conversionOf(schema.element as z.ZodType);
    return convert === identity
      ? identity
      : (value) => (value as unknown[] | undefined)?.map(convert);
  }
  return schema instanceof z.ZodObject ? compileFields(schema) : identity;
}

const identity: Convert = (value) => value;

function compileFields({ shape }: z.ZodObject): Convert {
  const fields = Object.entries(shape as Record<string, z.ZodType>).map(([name, schema]) => ({
    name,
    source: camelCase(name),
    convert: conversionOf(schema),
  }));
  return (value) => {
    if (value === undefined) return undefined;
    const result: Record<string, unknown> = {};
    for (const { name, source, convert } of fields) {
      const found = convert((value as Record<string, unknown>)[source]);
      if (found !== undefined) result[name] = found;
    }
    return result;
  };
}

/** Returns the fields of a body with camelCase names. Fields with the value null are omitted. */
export function fromWire<Body extends object>(body: Body): FromWire<Body> {
  const given = Object.entries(body).filter(([, value]) => value != null);
  return Object.fromEntries(given.map(([name, value]) => [camelCase(name), value])) as FromWire<
    Body
  >;
}

type FromWire<Body> =
  & {
    [Key in keyof Body as IsRequired<Body[Key]> extends true ? CamelCase<Key> : never]: Body[Key];
  }
  & {
    [Key in keyof Body as IsRequired<Body[Key]> extends true ? never : CamelCase<Key>]?:
      NonNullable<
        Body[Key]
      >;
  };
type IsRequired<Value> = [Extract<Value, null | undefined>] extends [never] ? true : false;
