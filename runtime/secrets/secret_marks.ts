// Finds the secrets in a text, and replaces them.
import type { Secret } from "./secret.ts";
import { type Mark, SecretFinder } from "./secret_finder.ts";

/**
 * Returns the text with each secret replaced by `[redacted:NAME]`. Also finds secrets in JSON notation. `secrets` are
 * longest first. Redacting the result again changes nothing.
 */
export function redactText(text: string, secrets: readonly Secret[]): string {
  // A placeholder and the text around it may together contain another secret, so the search is repeated. It ends, because
  // each pass shortens the remaining text.
  for (let shown = text;;) {
    const marks = findMarks(shown, secrets);
    if (marks.length === 0) return shown;
    shown = replaceMarks(shown, marks);
  }
}

const PLACEHOLDER_START = "[redacted:";

/** Returns the placeholder that replaces a secret. */
export function placeholderOf({ name }: Pick<Secret, "name">): string {
  return `${PLACEHOLDER_START}${name}]`;
}

/**
 * Returns the notations of a secret: as it is, as JSON, and as ASCII-only JSON with lower-case and upper-case hexadecimal
 * digits.
 */
export function spellingsOf({ value }: Secret): string[] {
  if (PLAIN.test(value)) return [value];
  return [...new Set([value, JSON.stringify(value).slice(1, -1), ...asciiSpellings(value)])];
}

const PLAIN = /^[ !#-[\]-~]*$/;

function asciiSpellings(value: string): string[] {
  const spell = (toCase: (digits: string) => string) =>
    value.replaceAll(/["\\]|[^ -~]/g, (unit) => {
      const short = JSON.stringify(unit).slice(1, -1);
      if (short.length === 2) return short;
      return `\\u${toCase(unit.charCodeAt(0).toString(16).padStart(4, "0"))}`;
    });
  return [spell((digits) => digits), spell((digits) => digits.toUpperCase())];
}

/** The finders by list of secrets. A changed secret makes a new list. */
const finders = new WeakMap<readonly Secret[], ReturnType<typeof createFinders>>();

function findersOf(secrets: readonly Secret[]): ReturnType<typeof createFinders> {
  return finders.getOrInsertComputed(secrets, createFinders);
}

function createFinders(secrets: readonly Secret[]) {
  const needles = secrets.flatMap((one) => spellingsOf(one).map((value) => ({ ...one, value })));
  const placeholders = new Set(secrets.map(placeholderOf));
  const shown = [...placeholders].map((value) => ({ value, name: "" }));
  return {
    /** Finds the secrets in all notations. */
    secrets: new SecretFinder(needles),
    /** Finds the secrets and their placeholders. */
    wholes: new SecretFinder([...needles, ...shown]),
    placeholders,
    longestPlaceholder: shown.reduce((most, { value }) => Math.max(most, value.length), 0),
  };
}

/**
 * Returns the ranges of all secrets, in order. Overlapping secrets are merged, because the rest of a secret would reveal
 * it. A secret inside a placeholder is skipped, because the placeholder contains only a variable's name. A secret that
 * extends beyond a placeholder includes it.
 */
export function findMarks(text: string, secrets: readonly Secret[]): Mark[] {
  if (secrets.length === 0) return [];
  const marks: Mark[] = [];
  // Most texts contain no secret, so placeholders are searched only when needed. A text may contain thousands, so each is
  // visited once: `inside` is the first that ends after the secret's beginning, `behind` the first after the secret.
  let all: Omit<Mark, "name">[] | undefined;
  let [inside, behind] = [0, 0];
  for (const { from, to, name } of findersOf(secrets).secrets.find(text)) {
    all ??= findPlaceholders(text, secrets);
    while ((all[inside]?.to ?? Infinity) <= from) inside++;
    while ((all[behind]?.from ?? Infinity) < to) behind++;
    const first = all[inside];
    if (first !== undefined && first.from <= from && to <= first.to) continue;
    const start = Math.min(from, first?.from ?? from);
    const end = Math.max(to, all[behind - 1]?.to ?? to);
    const last = marks.at(-1);
    if (last === undefined || start >= last.to) marks.push({ from: start, to: end, name });
    else last.to = Math.max(last.to, end);
  }
  return marks;
}

/** Returns the ranges of the placeholders of these secrets, in order. */
export function findPlaceholders(text: string, secrets: readonly Secret[]): Omit<Mark, "name">[] {
  const { placeholders, longestPlaceholder } = findersOf(secrets);
  const found: Omit<Mark, "name">[] = [];
  for (let from = text.indexOf(PLACEHOLDER_START); from >= 0;) {
    let to = from;
    // A name may contain a bracket.
    do to = text.indexOf("]", to) + 1; while (
      to > 0 && to - from <= longestPlaceholder && !placeholders.has(text.slice(from, to))
    );
    const isFound = to > 0 && to - from <= longestPlaceholder;
    if (isFound) found.push({ from, to });
    from = text.indexOf(PLACEHOLDER_START, isFound ? to : from + 1);
  }
  return found;
}

/** Returns the length of the longest end of the text that may be the beginning of a secret or of a placeholder. */
export function openEnd(text: string, secrets: readonly Secret[]): number {
  return secrets.length === 0 ? 0 : findersOf(secrets).wholes.openEnd(text);
}

/** Returns the text with each mark replaced by `[redacted:NAME]`. The marks are in order and do not overlap. */
export function replaceMarks(text: string, marks: readonly Mark[]): string {
  let result = "";
  let end = 0;
  for (const { from, to, name } of marks) {
    result += text.slice(end, from) + placeholderOf({ name });
    end = to;
  }
  return result + text.slice(end);
}
