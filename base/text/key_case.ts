// Converts the names of fields: snake_case in files and in the API, camelCase in code.

/** The type of a name in camelCase: `maxTokens` for `max_tokens`. */
export type CamelCase<Name> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name;
/** The type of an object with its keys in camelCase; nested objects are unchanged. */
export type CamelKeys<Fields> = { [Name in keyof Fields as CamelCase<Name>]: Fields[Name] };

/** The type of a name in snake_case: `max_tokens` for `maxTokens`. */
type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;
/** The type of an object with its keys in snake_case; nested objects are unchanged. */
export type SnakeKeys<Fields> = { [Name in keyof Fields as SnakeCase<Name>]: Fields[Name] };

/** Returns a copy of the object with its keys in camelCase. Nested objects are unchanged. */
export function camelKeys<Fields extends object>(fields: Fields): CamelKeys<Fields> {
  return renamed(fields, camelCase);
}

/** Returns a name in camelCase: `maxTokens` for `max_tokens`. */
export function camelCase<Name extends string>(name: Name): CamelCase<Name> {
  return name.replace(/_(.)/g, (_, next: string) => next.toUpperCase()) as CamelCase<Name>;
}

/** Returns a copy of the object with its keys in snake_case. Nested objects are unchanged. */
export function snakeKeys<Fields extends object>(fields: Fields): SnakeKeys<Fields> {
  return renamed(fields, (name) => name.replace(/[A-Z]/g, (upper) => `_${upper.toLowerCase()}`));
}

function renamed<To>(fields: object, rename: (name: string) => string): To {
  const entries = Object.entries(fields).map(([name, value]) => [rename(name), value]);
  return Object.fromEntries(entries) as To;
}
