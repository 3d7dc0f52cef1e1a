// Matches paths with glob patterns. The time is proportional to the pattern's length times the path's length, whereas a
// regular expression could take hours for a crafted file name.
import { classEnd, expandBraces, MAX_BRACE_PATTERNS } from "./glob_braces.ts";

/** Returns true if the path matches. Names in the path are separated by `/`. The empty path never matches. */
export type GlobMatcher = (path: string) => boolean;

/** The maximum length of a pattern. */
export const MAX_GLOB_CHARACTERS = 1_000;

/** An element of a name's pattern: any number of characters, or one character that passes the test. */
type Token = typeof STAR | ((character: string) => boolean);
const STAR = "*";
const ANY = () => true;

/** The pattern of one name between two slashes. GLOBSTAR matches any number of names. */
type Segment = typeof GLOBSTAR | { tokens: readonly Token[]; namesDot: boolean };
const GLOBSTAR = "**";

/**
 * Compiles a pattern to a function. `*` and `?` match within a name, and `**` matches any number of names; at the end of a
 * pattern, `**` matches everything in a folder but not the folder itself. Also supports `[abc]`, `[a-z]`, `[!a]`, `{a,b}`,
 * `{1..9}`, and a backslash before a literal character. A leading dot of a name needs a dot in the pattern, unless `dot` is
 * true. For a pattern that is too complex, returns the reason as a predicate whose subject is the pattern: `is too
 * complicated: …`.
 */
export function compileGlob(
  pattern: string,
  options: { dot: boolean },
): GlobMatcher | { reason: string } {
  if (pattern.length > MAX_GLOB_CHARACTERS) {
    return { reason: `is too complicated: it has more than ${MAX_GLOB_CHARACTERS} characters` };
  }
  const plain = expandBraces(pattern.replace(/^\.\//, ""), MAX_BRACE_PATTERNS);
  if (plain === undefined) {
    const reason =
      `is too complicated: its braces stand for more than ${MAX_BRACE_PATTERNS} patterns`;
    return { reason };
  }
  const alternatives = plain.map((one) => one.split("/").map(parseSegment));
  return (path) => {
    if (path === "") return false;
    const names = path.split("/").map((name) => [...name]);
    return alternatives.some((segments) => matchesNames(segments, names, options));
  };
}

function parseSegment(text: string): Segment {
  if (text === GLOBSTAR) return GLOBSTAR;
  const tokens: Token[] = [];
  const characters = [...text];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    const end = character === "[" ? classEnd(characters, at) : undefined;
    if (end !== undefined) {
      tokens.push(parseClass(characters.slice(at + 1, end)));
      at = end;
    } else if (character === "*") {
      if (tokens.at(-1) !== STAR) tokens.push(STAR);
    } else if (character === "?") tokens.push(ANY);
    else {
      // A backslash at the end of the pattern is literal.
      const meant = character === "\\" ? characters[++at] ?? character : character;
      tokens.push((one) => one === meant);
    }
  }
  const [first] = tokens;
  const namesDot = first !== undefined && first !== STAR && first !== ANY &&
    !/^\[[!^]/.test(text) && first(".");
  return { tokens, namesDot };
}

/** Returns the test of a character class, from the text between its brackets. */
function parseClass(inside: readonly string[]): Token {
  const isNegated = inside[0] === "!" || inside[0] === "^";
  const members = inside.slice(isNegated ? 1 : 0);
  const ranges: [from: string, to: string][] = [];
  for (let at = 0; at < members.length; at++) {
    const from = members[at] === "\\" ? members[++at] ?? "\\" : members[at] ?? "";
    const to = members[at + 1] === "-" ? members[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  const point = (character: string) => character.codePointAt(0) ?? 0;
  return (one) =>
    ranges.some(([from, to]) => point(from) <= point(one) && point(one) <= point(to)) !== isNegated;
}

/**
 * Matches the names of a path from the last to the first. Each step calculates the positions from which the rest of the
 * pattern matches.
 */
function matchesNames(
  segments: readonly Segment[],
  names: readonly (readonly string[])[],
  { dot }: { dot: boolean },
): boolean {
  const isOpen = (name: readonly string[]) => dot || name[0] !== ".";
  let rest = [...names.map(() => false), true];
  for (const [index, segment] of segments.toReversed().entries()) {
    const isLast = index === 0;
    const now = Array<boolean>(names.length + 1).fill(false);
    for (let at = names.length; at >= 0; at--) {
      const name = names[at];
      if (segment === GLOBSTAR) {
        const goesOn = now[at + 1] === true || (isLast && rest[at + 1] === true);
        now[at] = (!isLast && rest[at] === true) || (name !== undefined && goesOn && isOpen(name));
      } else if (name !== undefined && rest[at + 1] === true) {
        now[at] = (segment.namesDot || isOpen(name)) && matchesName(segment.tokens, name);
      }
    }
    rest = now;
  }
  return rest[0] === true;
}

/**
 * Returns true if a name matches. After a mismatch, only the last `*` is tried with a longer text, because a longer text
 * for an earlier `*` cannot help.
 */
function matchesName(tokens: readonly Token[], name: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  let star = -1;
  let taken = 0;
  while (at < name.length) {
    const wanted = tokens[token];
    if (wanted === STAR) {
      star = token++;
      taken = at;
    } else if (wanted?.(name[at] ?? "")) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++taken;
    } else return false;
  }
  return tokens.slice(token).every((one) => one === STAR);
}
