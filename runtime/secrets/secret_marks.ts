// Where secrets stand in a text, and the text without them.
import type { Secret } from "./secret.ts";

/** A stretch of text that is secret, under the name of the longest secret in it. Indices are UTF-16 code units. */
export interface Mark {
  from: number;
  to: number;
  name: string;
}

/** The text with each secret, also as JSON spells it, as `[redacted:NAME]`. `secrets` are longest first. */
export function redactText(text: string, secrets: readonly Secret[]): string {
  return replaceMarks(text, findMarks(text, secrets));
}

/** A value as it is, and as JSON spells it. */
export function spellingsOf({ value }: Secret): string[] {
  const quoted = JSON.stringify(value).slice(1, -1);
  return quoted === value ? [value] : [value, quoted];
}

/** Every stretch that is secret, in order. Secrets that overlap are one: what is left of one would tell of it. */
export function findMarks(text: string, secrets: readonly Secret[]): Mark[] {
  const found: Mark[] = [];
  for (const secret of secrets) {
    for (const spelling of spellingsOf(secret)) {
      for (let from = text.indexOf(spelling); from >= 0;) {
        const to = from + spelling.length;
        found.push({ from, to, name: secret.name });
        from = text.indexOf(spelling, to);
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

/** The text with `[redacted:NAME]` in place of each mark; marks are in order and do not overlap. */
export function replaceMarks(text: string, marks: readonly Mark[]): string {
  let result = "";
  let end = 0;
  for (const { from, to, name } of marks) {
    result += `${text.slice(end, from)}[redacted:${name}]`;
    end = to;
  }
  return result + text.slice(end);
}
