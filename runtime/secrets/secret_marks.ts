// Where secrets stand in a text, and the text without them.
import type { Secret } from "./secret.ts";
import { type Stretch, StretchWalk } from "./stretch_walk.ts";

/** A stretch of text that is secret, under the name of the longest secret in it. */
export interface Mark extends Stretch {
  name: string;
}

/**
 * The text with each secret, also as JSON spells it, as `[redacted:NAME]`. `secrets` are longest first. What it returns stays
 * as it is when it is redacted again.
 */
export function redactText(text: string, secrets: readonly Secret[]): string {
  // Beside what stands there, what was put in place of a secret may spell another one. Each time less is left to replace.
  for (let shown = text;;) {
    const marks = findMarks(shown, secrets);
    if (marks.length === 0) return shown;
    shown = replaceMarks(shown, marks);
  }
}

/** What stands in place of a secret. */
export function placeholderOf({ name }: Pick<Secret, "name">): string {
  return `[redacted:${name}]`;
}

/** A value as it is, as JSON spells it, and as JSON does that is written in ASCII alone, in digits of either case. */
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
 * Every stretch that is secret, in order. Secrets that overlap are one: what is left of one would reveal it. One inside a
 * placeholder does not count: it says no more than a variable's name. One that reaches out of it takes all of it along.
 */
export function findMarks(text: string, secrets: readonly Secret[]): Mark[] {
  const found: Mark[] = [];
  // Most texts hold no secret: they are not searched for anything else.
  let placeholders: Stretch[] | undefined;
  for (const secret of secrets) {
    for (const spelling of spellingsOf(secret)) {
      let from = text.indexOf(spelling);
      if (from < 0) continue;
      placeholders ??= findPlaceholders(text, secrets);
      const walk = new StretchWalk(placeholders);
      while (from >= 0) {
        const to = from + spelling.length;
        const { around, coveredTo } = walk.next({ from, to });
        const isInside = to <= coveredTo;
        if (!isInside) found.push({ ...around, name: secret.name });
        // After one inside, the next that reaches out may overlap with it.
        from = text.indexOf(spelling, isInside ? coveredTo - spelling.length + 1 : to);
      }
    }
  }
  // Of those at one place the first found is that of the longest secret.
  found.sort((a, b) => a.from - b.from);
  const marks: Mark[] = [];
  for (const mark of found) {
    const last = marks.at(-1);
    if (last === undefined || mark.from >= last.to) marks.push({ ...mark });
    else last.to = Math.max(last.to, mark.to);
  }
  return marks;
}

/** Where placeholders of these secrets stand, in order. */
export function findPlaceholders(text: string, secrets: readonly Secret[]): Stretch[] {
  const names = new Set(secrets.map(placeholderOf));
  return [...names].flatMap((placeholder) => {
    const found: Stretch[] = [];
    for (let from = text.indexOf(placeholder); from >= 0;) {
      const to = from + placeholder.length;
      found.push({ from, to });
      from = text.indexOf(placeholder, to);
    }
    return found;
  }).sort((a, b) => a.from - b.from);
}

/** The text with `[redacted:NAME]` in place of each mark; marks are in order and do not overlap. */
export function replaceMarks(text: string, marks: readonly Mark[]): string {
  let result = "";
  let end = 0;
  for (const { from, to, name } of marks) {
    result += text.slice(end, from) + placeholderOf({ name });
    end = to;
  }
  return result + text.slice(end);
}
