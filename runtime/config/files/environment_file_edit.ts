// Sets variables in the text of an environment file. Other lines and comments stay. Values are quoted if necessary.
import { isDeepStrictEqual } from "node:util";
import { indexOfClosingQuote, parseEnvironment } from "./environment_text.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../../base/errors.ts";

/** Error: a variable cannot be set without damage to the file. The message never contains the value. */
export class EnvironmentFileNotEditable extends RuntimeError {
  readonly code: RuntimeErrorCode = "invalid";

  constructor(path: string, name: string) {
    super(
      `Cannot add ${name} to ${path}: a quote in that file is never closed, or the value holds every kind of ` +
        `quote. Correct the file, or set ${name} in the environment`,
    );
  }
}

/** Matches the start of a line that sets a variable: indentation and `export`, the name, and the opening quote. */
const ASSIGNMENT = /^(\s*(?:export\s+)?)([A-Za-z_][\w.-]*)\s*=\s*(["'`]?)/;

/**
 * Returns the text with the variable set. Changes the last line that sets it, which is the effective one, or adds a line.
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

/** The lines that set a variable, counted from 0, and the parts of them that stay. */
interface VariableLines {
  name: string;
  first: number;
  last: number;
  indent: string;
  /** The comment after the value, including the space before it. */
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
    let close = mark === "" ? -1 : indexOfClosingQuote(rest, mark);
    if (mark !== "" && close < 0) {
      // A quoted value continues up to the line with the closing quote.
      last = lines.findIndex((later, j) => j > i && later.includes(mark));
      if (last < 0) last = i;
      else rest = lines[last] ?? "";
      close = rest.indexOf(mark);
    }
    const behind = rest.slice(close + 1);
    // After a closing quote, a comment needs no space before it.
    const comment = (mark === "" ? /\s+#.*$/ : /\s*#.*$/).exec(behind)?.[0] ?? "";
    found.push({ name, first: i, last, indent, comment });
    i = last;
  }
  return found;
}

/** Returns a value in the notation of the file, or undefined if no kind of quotes is possible. */
function quote(value: string): string | undefined {
  const marks = ["'", '"', "`"].filter((mark) => !value.includes(mark));
  // A value with a # is quoted, because most programs would read the text after the # as a comment.
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
