// Variables set in an environment file's text: every other line and comment stays, values are quoted where they must be.
import { isDeepStrictEqual } from "node:util";
import { parseEnvironment } from "./environment_text.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../../base/errors.ts";

/** A variable cannot be set without harm to the file. The message never holds the value. */
export class EnvironmentFileNotEditable extends RuntimeError {
  readonly code: RuntimeErrorCode = "invalid";

  constructor(path: string, name: string) {
    super(
      `Cannot add ${name} to ${path}: a quote in that file is never closed, or the value holds every kind of ` +
        `quote. Correct the file, or set ${name} in the environment`,
    );
  }
}

/** The beginning of a line that sets a variable: its indent and `export`, the name, what opens the value. */
const ASSIGNMENT = /^(\s*(?:export\s+)?)([A-Za-z_][\w.-]*)\s*=\s*(["'`]?)/;

/**
 * The text with the variable set: in the line that sets it now (the last of several, which counts), else in a new line.
 * Throws EnvironmentFileNotEditable.
 */
export function setVariable(
  text: string,
  variable: { name: string; value: string },
  options: { path: string },
): string {
  const { name, value } = variable;
  const before = parseEnvironment(text);
  if (before[name] === value) return text;
  const quoted = quote(value);
  if (quoted === undefined) throw new EnvironmentFileNotEditable(options.path, name);
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
  const place = findVariables(lines).findLast((one) => one.name === name);
  if (place === undefined) lines.push(`${name}=${quoted}`);
  else {
    const { first, last, indent, comment } = place;
    lines.splice(first, last - first + 1, `${indent}${name}=${quoted}${comment}`);
  }
  const edited = lines.join(lineEnd) + lineEnd;
  if (!isDeepStrictEqual(parseEnvironment(edited), { ...before, [name]: value })) {
    throw new EnvironmentFileNotEditable(options.path, name);
  }
  return edited;
}

/** A variable's lines, 0-based, and what of them is to stay. */
interface VariableLines {
  name: string;
  first: number;
  last: number;
  indent: string;
  /** A remark behind the value, with the space before it. */
  comment: string;
}

function findVariables(lines: readonly string[]): VariableLines[] {
  const found: VariableLines[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    const match = ASSIGNMENT.exec(line);
    if (match === null) continue;
    const [whole, indent = "", name = "", mark = ""] = match;
    let last = i;
    let rest = line.slice(whole.length);
    if (mark !== "" && !rest.includes(mark)) {
      // The value goes on until the line that closes its quote.
      last = lines.findIndex((later, j) => j > i && later.includes(mark));
      if (last < 0) last = i;
      else rest = lines[last] ?? "";
    }
    const behind = mark === "" ? rest : rest.slice(rest.indexOf(mark) + 1);
    // Behind a quote no space is needed.
    const comment = (mark === "" ? /\s+#.*$/ : /\s*#.*$/).exec(behind)?.[0] ?? "";
    found.push({ name, first: i, last, indent, comment });
    i = last;
  }
  return found;
}

/** The value as the file must hold it; undefined where no quotes can. */
function quote(value: string): string | undefined {
  const marks = ["'", '"', "`"].filter((mark) => !value.includes(mark));
  // Most programs that read such a file would take what follows a # for a comment.
  const bare = value.includes("#") ? [] : [value];
  const forms = [...bare, ...marks.map((mark) => `${mark}${value}${mark}`)];
  return forms.find((form) =>
    isDeepStrictEqual(parseEnvironment(`BEFORE=1\nA=${form}\nAFTER=1`), {
      BEFORE: "1",
      A: value,
      AFTER: "1",
    })
  );
}
