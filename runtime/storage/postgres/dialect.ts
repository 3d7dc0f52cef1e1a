// Translates the SQL of the stores to PostgreSQL. Statements that need more than these rules have a separate text in their
// store.
import type { SqlValue } from "../../database/operation.ts";

/** Matches quoted texts, and the notations that differ outside of them. */
const PARTS = new RegExp(
  [
    /'(?:[^']|'')*'/,
    // request ->> '$.cause.path'
    /(?<json>[\w.]+) ->> '\$\.(?<path>[\w.]+)'/,
    // FROM json_each(?1) AS asked
    /json_each\((?<list>\?\d*)\)(?: AS (?<name>\w+))?/,
    // AS agentId: PostgreSQL lowers names without quotes.
    /\bAS (?<alias>[a-z]+[A-Z]\w*)/,
    /\?(?<number>\d*)/,
  ].map((part) => part.source).join("|"),
  "g",
);

/** Returns the statement with numbered parameters, and with the functions of schema.ts for JSON values. */
export function toPostgres(sql: string): string {
  let last = 0;
  // As in SQLite, a bare `?` is one more than the greatest number so far.
  const number = (written: string) => {
    const one = written === "" ? last + 1 : Number(written);
    last = Math.max(last, one);
    return `$${one}`;
  };
  return sql.replace(PARTS, (whole, ...rest) => {
    const { json, path, list, name, alias, number: written } = rest.at(-1) as Record<
      string,
      string | undefined
    >;
    if (json !== undefined) return `json_text(${json}, '{${path?.replaceAll(".", ",")}}')`;
    if (list !== undefined) {
      const parameter = number(list.slice(1));
      return `json_array_elements_text(CAST(${replaceUnstorable(parameter)} AS json)) AS ${
        name ?? "listed"
      } (value)`;
    }
    if (alias !== undefined) return `AS "${alias}"`;
    return written === undefined ? whole : number(written);
  });
}

/**
 * Returns an SQL expression that replaces escapes in a JSON text by U+FFFD, if PostgreSQL cannot store them: NUL and lone
 * surrogates. It skips text after an escaped backslash, which is no escape.
 */
export function replaceUnstorable(json: string): string {
  return `regexp_replace(CAST(${json} AS text), '(?<!\\\\)((\\\\\\\\)*)\\\\u(0000|d[89a-f][0-9a-f]{2})', ` +
    "'\\1\\\\ufffd', 'gi')";
}

/** Type parsers that return the same values as SQLite: numbers, and booleans as 1 or 0. Dates and JSON are not used. */
export const TYPES = {
  getTypeParser: (oid: number) => {
    if (oid === 20 || oid === 21 || oid === 23 || oid === 701 || oid === 1700) return Number;
    if (oid === 16) return (text: string) => text === "t" ? 1 : 0;
    return (text: string) => text;
  },
};

/** Replaces NUL in texts, which PostgreSQL cannot store. In JSON, NUL is an escape and stays. */
export function toStorable(value: SqlValue): SqlValue {
  return typeof value === "string" && value.includes("\0")
    ? value.replaceAll("\0", "\uFFFD")
    : value;
}
