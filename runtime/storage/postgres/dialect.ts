// What PostgreSQL reads in place of a statement's text. The stores write one text for every database; what differs by more
// than these rules has a text of its own there.
import type { SqlValue } from "../operation.ts";

/** Texts in quotes, and what is written in another way outside of them. */
const PARTS = new RegExp(
  [
    /'(?:[^']|'')*'/,
    // request ->> '$.cause.path'
    /(?<json>[\w.]+) ->> '\$\.(?<path>[\w.]+)'/,
    // FROM json_each(?1) AS asked
    /json_each\((?<list>\?\d*)\)(?: AS (?<name>\w+))?/,
    // AS agentId: without quotes it would be agentid.
    /\bAS (?<alias>[a-z]+[A-Z]\w*)/,
    /\?(?<number>\d*)/,
  ].map((part) => part.source).join("|"),
  "g",
);

/** The statement with numbered parameters, and with our functions of schema.ts for values out of JSON. */
export function toPostgres(sql: string): string {
  let last = 0;
  // As SQLite counts: a bare one is one more than the greatest so far.
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
      return `json_array_elements_text(CAST(${storable(parameter)} AS json)) AS ${
        name ?? "listed"
      } (value)`;
    }
    if (alias !== undefined) return `AS "${alias}"`;
    return written === undefined ? whole : number(written);
  });
}

/**
 * A JSON text, in SQL, where U+FFFD stands for the escapes that PostgreSQL can hold in no text: NUL, and halves of a character.
 * What comes behind an escaped backslash is no escape.
 */
export function storable(json: string): string {
  return `regexp_replace(CAST(${json} AS text), '(?<!\\\\)((\\\\\\\\)*)\\\\u(0000|d[89a-f][0-9a-f]{2})', ` +
    "'\\1\\\\ufffd', 'gi')";
}

/** The values of a result as SQLite gives them: numbers, and truth as 1 or 0. Dates and JSON are not among ours. */
export const TYPES = {
  getTypeParser: (oid: number) => {
    if (oid === 20 || oid === 21 || oid === 23 || oid === 701 || oid === 1700) return Number;
    if (oid === 16) return (text: string) => text === "t" ? 1 : 0;
    return (text: string) => text;
  },
};

/** PostgreSQL has no texts with NUL; in JSON it is written as an escape and stays. */
export function toStorable(value: SqlValue): SqlValue {
  return typeof value === "string" && value.includes("\0")
    ? value.replaceAll("\0", "\uFFFD")
    : value;
}
