// Parses the text of an environment file. Node's parser handles quotes, lines and `export`. Comments follow the rules of
// python-dotenv: they start with a # after a space. With Node's rule, a password would end at its #.

/** Matches a line that sets a variable, with its value. A quoted value may span lines. */
const ASSIGNMENT =
  /^([ \t]*(?:export[ \t]+)?[A-Za-z_][\w.-]*[ \t]*=)(?:([ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`))|([^\r\n]*))/gm;
/** Matches a placeholder for a value. It contains NUL, which no text file contains. */
const PLACE = /^\0(\d+)\0$/;

/** Returns the variables of a file by name. References to other variables in a value are not expanded. */
export function parseEnvironment(text: string): Record<string, string> {
  // The module is not imported, because Node's modules would make the start of the service a fifth slower, and most users
  // have no such file.
  const { parseEnv } = globalThis.process.getBuiltinModule("node:util");
  const values: string[] = [];
  const plain = text.replaceAll(ASSIGNMENT, (whole, start: string, quoted, value = "") => {
    if (quoted !== undefined || !value.includes("#") || /^[ \t]*["'`]/.test(value)) return whole;
    values.push(value.replace(/\s#.*$/, "").trim());
    return `${start}\0${values.length - 1}\0`;
  });
  return Object.fromEntries(
    Object.entries(parseEnv(plain)).map(([name, value]) => {
      const place = PLACE.exec(String(value))?.[1];
      return [name, place === undefined ? String(value) : values[Number(place)] ?? ""];
    }),
  );
}
