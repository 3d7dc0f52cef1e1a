// Sets variables in an environment file's text. Other lines and comments stay; values are quoted when necessary.
import { isDeepStrictEqual } from "node:util";
import { parseEnvironment } from "./environment_text.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../../base/errors.ts";

/** A variable cannot be set without damage to the file. The message never contains the value. */
export class EnvironmentFileNotEditable extends RuntimeError {
  readonly code: RuntimeErrorCode = "invalid";

  constructor(path: string, name: string) {
    super(
      `Cannot add ${name} to ${path}: a quote in that file is never closed, or the value holds every kind of ` +
        `quote. Correct the file, or set ${name} in the environment`,
    );
  }
}

/** The start of a line that sets a variable: the indent and `export`, the name, the opening quote. */
const ASSIGNMENT = /^(\s*(?:export\s+)?)([A-Za-z_][\w.-]*)\s*=\s*(["'`]?)/;

/**
 * Returns the text with the variable set: in its present line (the last of several, which counts), otherwise in a new
 * one. Throws EnvironmentFileNotEditable.
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

/** A variable's lines, 0-based, and the parts of them to keep. */
interface VariableLines {
  name: string;
  first: number;
  last: number;
  indent: string;
  /** A comment after the value, with the space before it. */
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
      // The value continues up to the line with its closing quote.
      last = lines.findIndex((later, j) => j > i && later.includes(mark));
      if (last < 0) last = i;
      else rest = lines[last] ?? "";
    }
    const behind = mark === "" ? rest : rest.slice(rest.indexOf(mark) + 1);
    // No space is needed after a quote.
    const comment = (mark === "" ? /\s+#.*$/ : /\s*#.*$/).exec(behind)?.[0] ?? "";
    found.push({ name, first: i, last, indent, comment });
    i = last;
  }
  return found;
}

/** Returns the value as written in the file, or undefined when no quote fits. */
function quote(value: string): string | undefined {
  const marks = ["'", '"', "`"].filter((mark) => !value.includes(mark));
  // Most programs that read such a file would take the text after a # for a comment.
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
