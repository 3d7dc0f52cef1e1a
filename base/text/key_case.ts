// Names of fields: snake_case in files and in the API, camelCase in code.

/** `max_tokens` as `maxTokens`. */
export type CamelCase<Name> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name;
/** A map with its own keys in camelCase. */
export type CamelKeys<Fields> = { [Name in keyof Fields as CamelCase<Name>]: Fields[Name] };

/** `maxTokens` as `max_tokens`. */
type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;
/** A map with its own keys in snake_case. */
export type SnakeKeys<Fields> = { [Name in keyof Fields as SnakeCase<Name>]: Fields[Name] };

/** Returns a copy with its own keys in camelCase. */
export function camelKeys<Fields extends object>(fields: Fields): CamelKeys<Fields> {
  return renamed(fields, camelCase);
}

/** `max_tokens` as `maxTokens`. */
export function camelCase(name: string): string {
  return name.replace(/_(.)/g, (_, next: string) => next.toUpperCase());
}

/** Returns a copy with its own keys in snake_case. */
export function snakeKeys<Fields extends object>(fields: Fields): SnakeKeys<Fields> {
  return renamed(fields, (name) => name.replace(/[A-Z]/g, (upper) => `_${upper.toLowerCase()}`));
}

function renamed<To>(fields: object, rename: (name: string) => string): To {
  const entries = Object.entries(fields).map(([name, value]) => [rename(name), value]);
  return Object.fromEntries(entries) as To;
}
