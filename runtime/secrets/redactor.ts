// Redaction of secret values in all output: frames, log lines, errors and answers.
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

/** Replaces secret values by `[redacted:NAME]`. Reads the secrets at each call, because keys may change at runtime. */
export class Redactor {
  readonly #secrets: () => readonly Secret[];

  /** `secrets` returns the values, longest first: a secret that contains another is replaced as a whole. */
  constructor(secrets: () => readonly Secret[]) {
    this.#secrets = secrets;
  }

  /** Returns the text without secrets. Also finds values in JSON notation. */
  redact(text: string): string {
    return redactText(text, this.#secrets());
  }

  /**
   * Redacts every string inside a JSON-like value at any depth, and the keys of inner objects: a tool's arguments are
   * untrusted. The keys of the value itself stay.
   */
  redactValue<T>(value: T): T {
    const secrets = this.#secrets();
    return secrets.length === 0 ? value : redactInside(value, secrets) as T;
  }

  /**
   * Removes a possible beginning of a secret from the end of a cut text. Whole secrets stay. Call it before anything is
   * appended to a cut text that is not redacted yet.
   */
  trimPartialSecret(text: string): string {
    return text.slice(0, safeLength(text, this.#secrets()));
  }

  /**
   * Returns the index at which a part of an unredacted text may begin: `at`, or the end of a secret that contains `at`.
   * `text` must extend beyond the longest secret on both sides of `at`, or be complete.
   */
  safeStart(text: string, at: number): number {
    return safeStart(text, at, this.#secrets());
  }

  /**
   * Returns at most `maxCharacters` (UTF-16 code units) of the text's beginning. Cuts neither a character nor a secret.
   */
  beginningOf(text: string, maxCharacters: number): string {
    if (text.length <= maxCharacters) return text;
    return this.trimPartialSecret(beginningOf(text, maxCharacters));
  }

  /**
   * Returns whether any three consecutive characters of the text occur in a secret, in any letter case. A search for them
   * could guess the secret.
   */
  overlapsSecret(text: string): boolean {
    const secrets = this.#secrets().flatMap(spellingsOf).map((one) => one.toLowerCase());
    const searched = text.toLowerCase();
    return Array.from({ length: searched.length - 2 }, (_, at) => searched.slice(at, at + 3))
      .some((part) => secrets.some((one) => one.includes(part)));
  }

  /** Creates a filter for text that arrives in pieces. It buffers a possible beginning of a secret. */
  openStream(): RedactedStream {
    return new RedactedStream(this.#secrets());
  }
}

/** Redacts streamed text; see Redactor.openStream. */
export class RedactedStream {
  readonly #secrets: readonly Secret[];
  #buffered = "";

  constructor(secrets: readonly Secret[]) {
    this.#secrets = secrets;
  }

  /** Adds a piece; returns the text that is safe to show now. */
  push(text: string): string {
    const known = this.#buffered + text;
    const marks = findMarks(known, this.#secrets);
    // A secret that overlaps the possible beginning of another waits with it.
    const end = safeLength(known, this.#secrets, marks);
    this.#buffered = known.slice(end);
    return replaceMarks(known.slice(0, end), marks.filter((mark) => mark.to <= end));
  }

  /** Returns the buffered rest at the end of the text. */
  flush(): string {
    const rest = redactText(this.#buffered, this.#secrets);
    this.#buffered = "";
    return rest;
  }
}

/** Iterative, because the depth of an untrusted value is unbounded. */
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

/** Sets an own property, also `__proto__`, which cannot be assigned. */
function put(container: object, key: string, value: unknown): void {
  if (key !== "__proto__") Reflect.set(container, key, value);
  else Object.defineProperty(container, key, { value, enumerable: true });
}

/**
 * Returns the length of the text's beginning that no further piece can change. The rest may be the beginning of a secret
 * or of a placeholder, with the secrets that overlap it. `marks` are the marks of the text.
 */
function safeLength(
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

/** See Redactor.safeStart. */
function safeStart(text: string, at: number, secrets: readonly Secret[]): number {
  const spellings = secrets.flatMap(spellingsOf);
  // The end of one secret may lie inside another one that overlaps it, or itself.
  for (let start = at;;) {
    const before = start;
    for (const one of spellings) {
      for (let end; (end = endAcross(text, start, one)) > start;) start = end;
    }
    if (start === before) return start;
  }
}

/** Returns the end of the last `value` that begins before `at` and ends after it; 0 without one. */
function endAcross(text: string, at: number, value: string): number {
  const first = Math.max(0, at - value.length + 1);
  const found = text.slice(first, at + value.length - 1).lastIndexOf(value);
  return found < 0 ? 0 : first + found + value.length;
}

/** Returns the length of the longest end of `text` that is a proper prefix of `value`. */
function overlap(text: string, value: string): number {
  const last = text.at(-1);
  for (let length = Math.min(text.length, value.length - 1); length > 0; length--) {
    // Compare one character first: secrets may be thousands of characters long, and this runs for every piece of text.
    if (value[length - 1] === last && text.endsWith(value.slice(0, length))) return length;
  }
  return 0;
}
