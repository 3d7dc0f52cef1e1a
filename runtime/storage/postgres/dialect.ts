// Translates SQL that is written for SQLite to PostgreSQL. Statements for which these rules are not enough have a separate
// PostgreSQL text in their store.
import type { SqlValue } from "../../database/operation.ts";

/** Matches quoted texts, and SQL notations that PostgreSQL writes differently. */
const PARTS = new RegExp(
  [
    /'(?:[^']|'')*'/,
    // For example: request ->> '$.cause.path'
    /(?<json>[\w.]+) ->> '\$\.(?<path>[\w.]+)'/,
    // For example: FROM json_each(?1) AS asked
    /json_each\((?<list>\?\d*)\)(?: AS (?<name>\w+))?/,
    // For example: AS agentId. Without quotes, PostgreSQL changes the name to lower case.
    /\bAS (?<alias>[a-z]+[A-Z]\w*)/,
    /\?(?<number>\d*)/,
  ].map((part) => part.source).join("|"),
  "g",
);

/** Returns the statement for PostgreSQL, with numbered parameters and with the JSON functions of schema.ts. */
export function toPostgres(sql: string): string {
  let last = 0;
  // As in SQLite, the number of a bare `?` is the highest number so far plus one.
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
 * Returns an SQL expression that replaces JSON escapes which PostgreSQL cannot store (NUL and lone surrogates) by U+FFFD.
 * An escaped backslash before `u` is no such escape.
 */
export function replaceUnstorable(json: string): string {
  return `regexp_replace(CAST(${json} AS text), '(?<!\\\\)((\\\\\\\\)*)\\\\u(0000|d[89a-f][0-9a-f]{2})', ` +
    "'\\1\\\\ufffd', 'gi')";
}

/**
 * Type parsers of `pg` that return the same values as SQLite: numbers, and booleans as 1 or 0. The schema has no columns
 * with dates or JSON.
 */
export const TYPES = {
  getTypeParser: (oid: number) => {
    if (oid === 20 || oid === 21 || oid === 23 || oid === 701 || oid === 1700) return Number;
    if (oid === 16) return (text: string) => text === "t" ? 1 : 0;
    return (text: string) => text;
  },
};

/**
 * Replaces NUL in a text by U+FFFD, because PostgreSQL cannot store it. In JSON texts NUL is an escape and is not affected.
 */
export function toStorable(value: SqlValue): SqlValue {
  return typeof value === "string" && value.includes("\0")
    ? value.replaceAll("\0", "\uFFFD")
    : value;
}
