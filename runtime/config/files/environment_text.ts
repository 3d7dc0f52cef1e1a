// The text of an environment file, as values by name. Quotes, lines and `export` are read by Node's parser; where a comment
// begins, by the rule of python-dotenv: at a # behind a space. Node's own rule would cut a password at its #.

/** The beginning of a line that sets a variable, and its value: quoted, which may take several lines, or not. */
const ASSIGNMENT =
  /^([ \t]*(?:export[ \t]+)?[A-Za-z_][\w.-]*[ \t]*=)(?:([ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`))|([^\r\n]*))/gm;
/** Stands for a value meanwhile; a text file holds no NUL. */
const PLACE = /^\0(\d+)\0$/;

/** The variables of a file. A value is not searched for variables. */
export function parseEnvironment(text: string): Record<string, string> {
  // Not imported: Node's modules would take a fifth of the service's start, and most have no such file yet to be read.
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
