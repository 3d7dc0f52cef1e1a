// Parses the text of an environment file to values by name. Node's parser reads quotes, lines and `export`. Comments
// follow python-dotenv: they start with a # after a space. Node's own rule would cut a password at its #.

/** The start of a line that sets a variable, and its value: quoted, which may span lines, or unquoted. */
const ASSIGNMENT =
  /^([ \t]*(?:export[ \t]+)?[A-Za-z_][\w.-]*[ \t]*=)(?:([ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`))|([^\r\n]*))/gm;
/** A placeholder for a value. Text files contain no NUL. */
const PLACE = /^\0(\d+)\0$/;

/** Returns the variables of a file. Values are not expanded. */
export function parseEnvironment(text: string): Record<string, string> {
  // Not imported: Node's modules would add a fifth to the service's start, and most users have no such file.
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
