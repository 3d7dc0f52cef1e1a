// Expands the braces of a glob to patterns without braces, as shells do.

/** The maximum number of patterns from the braces of one pattern. */
export const MAX_BRACE_PATTERNS = 100;

/**
 * Returns the patterns to which braces expand: each part of `{a,b}`, each value of `{1..3}` and `{a..c}`. Braces around a
 * single part and unclosed braces are literal. Returns undefined if there are more than `most` patterns.
 */
export function expandBraces(pattern: string, most: number): string[] | undefined {
  const characters = [...pattern];
  const group = firstGroup(characters, most);
  if (group === undefined) return [pattern];
  const { from, to, parts } = group;
  if (parts.length > most) return undefined;
  const endings = expandBraces(characters.slice(to + 1).join(""), most);
  const expanded: string[] = [];
  for (const part of parts) {
    const inner = expandBraces(part, most);
    if (inner === undefined || endings === undefined) return undefined;
    if (expanded.length + inner.length * endings.length > most) return undefined;
    const before = characters.slice(0, from).join("");
    expanded.push(...inner.flatMap((one) => endings.map((ending) => before + one + ending)));
  }
  return expanded;
}

/** Returns the position of the bracket that closes the character class at `from`, or undefined if it is not closed. */
export function classEnd(characters: readonly string[], from: number): number | undefined {
  let at = from + 1;
  if (characters[at] === "!" || characters[at] === "^") at++;
  // A closing bracket at the beginning of a class is a member of the class.
  if (characters[at] === "]") at++;
  for (; at < characters.length; at++) {
    if (characters[at] === "]") return at;
    // A class cannot contain a slash, because names contain none. Brackets around a slash are literal.
    if (characters[at] === "/") return undefined;
    if (characters[at] === "\\") at++;
  }
  return undefined;
}

interface Group {
  from: number;
  to: number;
  parts: readonly string[];
}

/**
 * Returns the first brace group that is not literal, with its parts. For a range that is too long, returns only enough
 * values to exceed `most`.
 */
function firstGroup(characters: readonly string[], most: number): Group | undefined {
  const closing = partners(characters);
  for (const [from, { to, commas }] of [...closing].sort(([a], [b]) => a - b)) {
    const text = (start: number, end: number) => characters.slice(start, end).join("");
    const ends = [...commas, to];
    const parts = ends.map((end, index) => text((ends[index - 1] ?? from) + 1, end));
    const values = parts.length > 1 ? parts : toRange(text(from + 1, to), most + 1);
    if (values !== undefined) return { from, to, parts: values };
  }
  return undefined;
}

/**
 * Returns the pairs of braces, by the position of the opening brace: the positions of the closing brace and of the commas
 * between the two braces.
 */
function partners(
  characters: readonly string[],
): Map<number, { to: number; commas: readonly number[] }> {
  const closed = new Map<number, { to: number; commas: readonly number[] }>();
  const open: { from: number; commas: number[] }[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at];
    if (character === "\\") at++;
    else if (character === "[") at = classEnd(characters, at) ?? at;
    else if (character === "{") open.push({ from: at, commas: [] });
    else if (character === ",") open.at(-1)?.commas.push(at);
    else if (character === "}") {
      const last = open.pop();
      if (last !== undefined) closed.set(last.from, { to: at, commas: last.commas });
    }
  }
  return closed;
}

const NUMBERS = /^(\d{1,6})\.\.(\d{1,6})$/;
const LETTERS = /^([a-z])\.\.([a-z])$/i;

/**
 * Returns the values of a range such as `1..3` or `a..c`, at most `most` of them, or undefined for another text. Numbers
 * keep their leading zeros.
 */
function toRange(text: string, most: number): string[] | undefined {
  const [, first = "", last = ""] = NUMBERS.exec(text) ?? LETTERS.exec(text) ?? [];
  if (first === "") return undefined;
  const isNumber = NUMBERS.test(text);
  const value = (end: string) => isNumber ? Number(end) : end.charCodeAt(0);
  const width = [first, last].some((end) => /^0\d/.test(end))
    ? Math.max(first.length, last.length)
    : 0;
  const [from, to] = [value(first), value(last)];
  return Array.from({ length: Math.min(most, Math.abs(to - from) + 1) }, (_, step) => {
    const one = from + (to < from ? -step : step);
    return isNumber ? String(one).padStart(width, "0") : String.fromCharCode(one);
  });
}
