// Finding the secrets in a text, and replacing them.
import type { Secret } from "./secret.ts";
import { RangeWalk, type TextRange } from "./range_walk.ts";

/** A secret range of a text, with the name of its longest secret. */
export interface Mark extends TextRange {
  name: string;
}

/**
 * Replaces each secret, also in JSON notation, by `[redacted:NAME]`. `secrets` are longest first. Redacting the result
 * again changes nothing.
 */
export function redactText(text: string, secrets: readonly Secret[]): string {
  // A placeholder and its surroundings may together spell another secret. Each pass has less left to replace.
  for (let shown = text;;) {
    const marks = findMarks(shown, secrets);
    if (marks.length === 0) return shown;
    shown = replaceMarks(shown, marks);
  }
}

/** Returns the text that replaces a secret. */
export function placeholderOf({ name }: Pick<Secret, "name">): string {
  return `[redacted:${name}]`;
}

/** Returns the notations of a value: as it is, as JSON, and as ASCII-only JSON in both cases of hexadecimal digits. */
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
 * Returns every secret range, in order. Overlapping secrets are merged: the rest of one would reveal it. A secret inside
 * a placeholder is skipped, because a placeholder shows only a variable's name. A secret that extends beyond a
 * placeholder includes it.
 */
export function findMarks(text: string, secrets: readonly Secret[]): Mark[] {
  const found: Mark[] = [];
  // Most texts contain no secret, so placeholders are searched only when needed.
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
        // After a skipped secret, the next one that extends beyond the placeholder may overlap it.
        from = text.indexOf(spelling, isInside ? coveredTo - spelling.length + 1 : to);
      }
    }
  }
  // Sorting is stable: at equal positions the longest secret stays first.
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

/** Replaces each mark by `[redacted:NAME]`. The marks are in order and do not overlap. */
export function replaceMarks(text: string, marks: readonly Mark[]): string {
  let result = "";
  let end = 0;
  for (const { from, to, name } of marks) {
    result += text.slice(end, from) + placeholderOf({ name });
    end = to;
  }
  return result + text.slice(end);
}
