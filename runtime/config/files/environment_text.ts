// Parses the text of an environment file. Node's parser handles quotes, lines and `export`. Comments and escapes follow the
// rules of python-dotenv. With Node's rules, a password would end at its #, and JSON in double quotes would keep its
// backslashes.

/**
 * Matches a line that sets a variable, with its value: one in double quotes that ends on its line, another quoted value,
 * which may span lines, or a value without quotes.
 */
const ASSIGNMENT =
  /^([ \t]*(?:export[ \t]+)?[A-Za-z_][\w.-]*[ \t]*=)(?:[ \t]*"((?:\\.|[^"\\\r\n])*)"(?=[ \t]*(?:#|\r?$))|([ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`))|([^\r\n]*))/gm;
/** The escaped characters that differ from the letter after the backslash. */
const ESCAPES = new Map(Object.entries({
  ...{ a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" },
}));
/** Matches a placeholder for a value. It contains NUL, which no text file contains. */
const PLACE = /^\0(\d+)\0$/;

/** Returns the variables of a file by name. References to other variables in a value are not expanded. */
export function parseEnvironment(text: string): Record<string, string> {
  // The module is not imported, because Node's modules would make the start of the service a fifth slower, and most users
  // have no such file.
  const { parseEnv } = globalThis.process.getBuiltinModule("node:util");
  const values: string[] = [];
  const plain = text.replaceAll(ASSIGNMENT, (whole, start: string, line, quoted, value = "") => {
    if (line?.includes("\\")) values.push(decodeEscapes(line));
    else if (line !== undefined || quoted !== undefined || !value.includes("#")) return whole;
    else if (/^[ \t]*["'`]/.test(value)) return whole;
    else values.push(value.replace(/\s#.*$/, "").trim());
    return `${start}\0${values.length - 1}\0`;
  });
  return Object.fromEntries(
    Object.entries(parseEnv(plain)).map(([name, value]) => {
      const place = PLACE.exec(String(value))?.[1];
      return [name, place === undefined ? String(value) : values[Number(place)] ?? ""];
    }),
  );
}

function decodeEscapes(text: string): string {
  return text.replace(/\\([\\'"abfnrtv])/g, (_, letter: string) => ESCAPES.get(letter) ?? letter);
}

/** Returns the index of the quote that ends a value on its line, or -1. `text` begins after the opening quote `mark`. */
export function indexOfClosingQuote(text: string, mark: string): number {
  const value = mark === '"' ? /^(?:\\.|[^"\\])*(?="[ \t]*(?:#|$))/.exec(text) : null;
  return value === null ? text.indexOf(mark) : value[0].length;
}
