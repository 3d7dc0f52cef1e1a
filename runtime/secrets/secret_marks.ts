// Finds the secrets in a text, and replaces them.
import type { Secret } from "./secret.ts";
import { RangeWalk, type TextRange } from "./range_walk.ts";

/** The range of a secret in a text, and the name to show in its place. */
export interface Mark extends TextRange {
  name: string;
}

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

/** Returns the placeholder that replaces a secret. */
export function placeholderOf({ name }: Pick<Secret, "name">): string {
  return `[redacted:${name}]`;
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

/**
 * Returns the ranges of all secrets, in order. Overlapping secrets are merged, because the rest of a secret would reveal
 * it. A secret inside a placeholder is skipped, because the placeholder contains only a variable's name. A secret that
 * extends beyond a placeholder includes it.
 */
export function findMarks(text: string, secrets: readonly Secret[]): Mark[] {
  const found: Mark[] = [];
  // Placeholders are searched only after a secret was found, because most texts contain none.
  let placeholders: TextRange[] | undefined;
  for (const secret of secrets) {
    for (const spelling of spellingsOf(secret)) {
      let from = text.indexOf(spelling);
      if (from < 0) continue;
      placeholders ??= findPlaceholders(text, secrets);
      const walk = new RangeWalk(placeholders);
      while (from >= 0) {
        const to = from + spelling.length;
        const { around, coveredTo } = walk.next({ from, to });
        const isInside = to <= coveredTo;
        if (!isInside) found.push({ ...around, name: secret.name });
        // The next occurrence may begin inside the placeholder, if it ends beyond it.
        from = text.indexOf(spelling, isInside ? coveredTo - spelling.length + 1 : to);
      }
    }
  }
  // The sort is stable: at equal positions the longest secret stays first.
  found.sort((a, b) => a.from - b.from);
  const marks: Mark[] = [];
  for (const mark of found) {
    const last = marks.at(-1);
    if (last === undefined || mark.from >= last.to) marks.push({ ...mark });
    else last.to = Math.max(last.to, mark.to);
  }
  return marks;
}

/** Returns the ranges of the placeholders of these secrets, in order. */
export function findPlaceholders(text: string, secrets: readonly Secret[]): TextRange[] {
  const names = new Set(secrets.map(placeholderOf));
  return [...names].flatMap((placeholder) => {
    const found: TextRange[] = [];
    for (let from = text.indexOf(placeholder); from >= 0;) {
      const to = from + placeholder.length;
      found.push({ from, to });
      from = text.indexOf(placeholder, to);
    }
    return found;
  }).sort((a, b) => a.from - b.from);
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
