// Keeps secret values out of everything that is shown: frames, log lines, errors, answers. One step, in one path.
import { beginningOf } from "../../base/text/cut_text.ts";
import type { Secret } from "./secret.ts";
import {
  findMarks,
  findPlaceholders,
  type Mark,
  placeholderOf,
  redactText,
  replaceMarks,
  spellingsOf,
} from "./secret_marks.ts";

/** Replaces secret values by `[redacted:NAME]`. The secrets are asked for each time: keys may change while we run. */
export class Redactor {
  readonly #secrets: () => readonly Secret[];

  /** `secrets` gives the values, longest first, so that one that contains another wins. */
  constructor(secrets: () => readonly Secret[]) {
    this.#secrets = secrets;
  }

  /** The text without secrets. Values are also found in the form that JSON text gives them. */
  redact(text: string): string {
    return redactText(text, this.#secrets());
  }

  /**
   * The same for every string inside a JSON-like value, however deep, and for the keys of what it holds: a tool's arguments
   * are somebody else's. The value's own keys stay.
   */
  redactValue<T>(value: T): T {
    const secrets = this.#secrets();
    return secrets.length === 0 ? value : redactInside(value, secrets) as T;
  }

  /**
   * What is left of a text that was cut, or broke off, at its end: without what may be the beginning of a secret there.
   * Whole secrets stay. Whoever cuts a text that is not redacted yet asks here, before anything is appended.
   */
  withoutTornEnd(text: string): string {
    return text.slice(0, wholeLength(text, this.#secrets()));
  }

  /**
   * Where a part of a text that is not redacted yet may begin, which is to begin at `at`: there, or behind the secret that
   * would be cut in two there. `text` reaches further than the longest secret to both sides of `at`, or is all there is.
   */
  wholeStart(text: string, at: number): number {
    return wholeStart(text, at, this.#secrets());
  }

  /** At most `maxCharacters` (UTF-16 code units) of the text's beginning, no character and no secret cut in two. */
  beginningOf(text: string, maxCharacters: number): string {
    if (text.length <= maxCharacters) return text;
    return this.withoutTornEnd(beginningOf(text, maxCharacters));
  }

  /** Whether three characters in a row of the text are in a secret, in any case: whoever searches with it may guess one. */
  sharesPart(text: string): boolean {
    const secrets = this.#secrets().flatMap(spellingsOf).map((one) => one.toLowerCase());
    const searched = text.toLowerCase();
    return Array.from({ length: searched.length - 2 }, (_, at) => searched.slice(at, at + 3))
      .some((part) => secrets.some((one) => one.includes(part)));
  }

  /** A filter for text that arrives in pieces: it holds back what may be the beginning of a secret. */
  openStream(): RedactedStream {
    return new RedactedStream(this.#secrets());
  }
}

/** Text in, safe text out; see Redactor.openStream. */
export class RedactedStream {
  readonly #secrets: readonly Secret[];
  #held = "";

  constructor(secrets: readonly Secret[]) {
    this.#secrets = secrets;
  }

  /** Takes the next piece; returns what may be shown now. */
  push(text: string): string {
    const known = this.#held + text;
    const marks = findMarks(known, this.#secrets);
    // A secret that reaches into what may be the beginning of another waits with it.
    const end = wholeLength(known, this.#secrets, marks);
    this.#held = known.slice(end);
    return replaceMarks(known.slice(0, end), marks.filter((mark) => mark.to <= end));
  }

  /** What was held back, at the end of the text. */
  flush(): string {
    const rest = redactText(this.#held, this.#secrets);
    this.#held = "";
    return rest;
  }
}

/** Without recursion: how deep a value goes, whoever wrote it decides. */
function redactInside(value: unknown, secrets: readonly Secret[]): unknown {
  const copyOf = (one: object): object => {
    if (Array.isArray(one)) return [...one];
    if (one === value) return Object.fromEntries(Object.entries(one));
    return Object.fromEntries(
      Object.entries(one).map(([key, inner]) => [redactText(key, secrets), inner]),
    );
  };
  const result = { value };
  const open: object[] = [result];
  for (let container; (container = open.pop()) !== undefined;) {
    for (const [key, one] of Object.entries(container)) {
      if (typeof one === "string") put(container, key, redactText(one, secrets));
      else if (typeof one === "object" && one !== null) {
        const copy = copyOf(one);
        put(container, key, copy);
        open.push(copy);
      }
    }
  }
  return result.value;
}

/** Sets a property of its own, also one of the name `__proto__`, which cannot be assigned. */
function put(container: object, key: string, value: unknown): void {
  if (key !== "__proto__") Reflect.set(container, key, value);
  else Object.defineProperty(container, key, { value, enumerable: true });
}

/**
 * How much of the text's beginning is surely whole: after it comes only what may be the beginning of a secret, or of what
 * stands in place of one, and what reaches into that. `marks` are those of the text.
 */
function wholeLength(
  text: string,
  secrets: readonly Secret[],
  marks: readonly Mark[] = findMarks(text, secrets),
): number {
  const wholes = secrets.flatMap((one) => [...spellingsOf(one), placeholderOf(one)]);
  const longest = wholes.map((one) => overlap(text, one));
  const open = text.length - Math.max(0, ...longest);
  if (open === text.length) return open;
  const reaching = [...marks, ...findPlaceholders(text, secrets)]
    .filter(({ from, to }) => from < open && open < to);
  return Math.min(open, ...reaching.map(({ from }) => from));
}

/** Where a part of the text that is to begin at `at` may begin: there, or behind the secret that `at` lies in. */
function wholeStart(text: string, at: number, secrets: readonly Secret[]): number {
  const spellings = secrets.flatMap(spellingsOf);
  // Behind one secret is perhaps the middle of another that overlaps with it, or of itself.
  for (let start = at;;) {
    const before = start;
    for (const one of spellings) {
      for (let end; (end = endOver(text, start, one)) > start;) start = end;
    }
    if (start === before) return start;
  }
}

/** Where the last `value` ends that begins before `at` and ends behind it; 0 where there is none. */
function endOver(text: string, at: number, value: string): number {
  const first = Math.max(0, at - value.length + 1);
  const found = text.slice(first, at + value.length - 1).lastIndexOf(value);
  return found < 0 ? 0 : first + found + value.length;
}

/** The length of the longest end of `text` that is a true beginning of `value`. */
function overlap(text: string, value: string): number {
  const last = text.at(-1);
  for (let length = Math.min(text.length, value.length - 1); length > 0; length--) {
    // Most are told apart by one character: some secrets are thousands of them long, and every piece of text asks.
    if (value[length - 1] === last && text.endsWith(value.slice(0, length))) return length;
  }
  return 0;
}
