// Redacts secret values in all output: frames, log lines, errors and answers.
import { beginningOf } from "../../base/text/cut_text.ts";
import { type ConcealedText, concealText } from "./concealed_text.ts";
import type { Secret } from "./secret.ts";
import type { Mark } from "./secret_finder.ts";
import {
  findMarks,
  findPlaceholders,
  openEnd,
  redactText,
  replaceMarks,
  spellingsOf,
} from "./secret_marks.ts";

/**
 * Replaces secret values by `[redacted:NAME]`. Requests the secrets at each call, because keys may change while the service
 * runs.
 */
export class Redactor {
  readonly #secrets: () => readonly Secret[];

  /**
   * Creates a redactor. `secrets` returns the values, longest first, so that a secret that contains another is replaced as
   * a whole.
   */
  constructor(secrets: () => readonly Secret[]) {
    this.#secrets = secrets;
  }

  /** An object that is the same until a secret changes. A redacted text is valid for one version. */
  get version(): object {
    return this.#secrets();
  }

  /** Returns the text with its secrets replaced. Also finds secrets in JSON notation. */
  redact(text: string): string {
    return redactText(text, this.#secrets());
  }

  /** Hides the secrets of a text that a person edits, and the ranges in `places`. See concealText(). */
  conceal(text: string, places: readonly Mark[] = []): ConcealedText {
    return concealText(text, this.#secrets(), places);
  }

  /**
   * Returns a copy of a JSON-like value in which every string is redacted at any depth, and the keys of inner objects,
   * because a tool's arguments are untrusted. The keys of the outermost object stay.
   */
  redactValue<T>(value: T): T {
    const secrets = this.#secrets();
    return secrets.length === 0 ? value : redactInside(value, secrets) as T;
  }

  /**
   * Returns a cut text without a possible beginning of a secret at its end. Complete secrets stay. Call it before something
   * is appended to a cut text that is not redacted yet.
   */
  trimPartialSecret(text: string): string {
    return text.slice(0, safeLength(text, this.#secrets()));
  }

  /**
   * Returns the index at which a part of an unredacted text may begin: `at`, or the end of a secret that contains `at`. On
   * both sides of `at`, `text` must be longer than the longest secret, or be complete.
   */
  safeStart(text: string, at: number): number {
    return safeStart(text, at, this.#secrets());
  }

  /**
   * Returns the beginning of the text, at most `maxCharacters` UTF-16 code units. Cuts neither a character nor a secret.
   */
  beginningOf(text: string, maxCharacters: number): string {
    if (text.length <= maxCharacters) return text;
    return this.trimPartialSecret(beginningOf(text, maxCharacters));
  }

  /**
   * Returns true if three consecutive characters of the text occur in a secret, in any letter case. A search for such a
   * text could be used to guess the secret.
   */
  overlapsSecret(text: string): boolean {
    const secrets = this.#secrets().flatMap(spellingsOf).map((one) => one.toLowerCase());
    const searched = text.toLowerCase();
    return Array.from({ length: searched.length - 2 }, (_, at) => searched.slice(at, at + 3))
      .some((part) => secrets.some((one) => one.includes(part)));
  }

  /** Creates a redactor for text that arrives in pieces. It buffers a possible beginning of a secret. */
  openStream(): RedactedStream {
    return new RedactedStream(this.#secrets());
  }
}

/** Redacts a text that arrives in pieces. Never returns a part of a secret. */
export class RedactedStream {
  readonly #secrets: readonly Secret[];
  #buffered = "";

  constructor(secrets: readonly Secret[]) {
    this.#secrets = secrets;
  }

  /** Adds a piece of text. Returns the text that can be shown now. */
  push(text: string): string {
    const known = this.#buffered + text;
    const marks = findMarks(known, this.#secrets);
    // A secret that overlaps the possible beginning of another secret is buffered with it.
    const end = safeLength(known, this.#secrets, marks);
    this.#buffered = known.slice(end);
    return replaceMarks(known.slice(0, end), marks.filter((mark) => mark.to <= end));
  }

  /** Returns the buffered text, redacted. Call it at the end of the text. */
  flush(): string {
    const rest = redactText(this.#buffered, this.#secrets);
    this.#buffered = "";
    return rest;
  }
}

/** Returns a redacted copy of a value. Uses no recursion, because the depth of an untrusted value is unlimited. */
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

/** Sets an own property. Also handles `__proto__`, to which an assignment has another effect. */
function put(container: object, key: string, value: unknown): void {
  if (key !== "__proto__") Reflect.set(container, key, value);
  else Object.defineProperty(container, key, { value, enumerable: true });
}

/**
 * Returns the length of the part of the text that no further piece can change. The rest may be the beginning of a secret or
 * placeholder, with the secrets that overlap it. `marks` are the secrets found in the text.
 */
function safeLength(
  text: string,
  secrets: readonly Secret[],
  marks: readonly Mark[] = findMarks(text, secrets),
): number {
  const open = text.length - openEnd(text, secrets);
  if (open === text.length) return open;
  const reaching = [...marks, ...findPlaceholders(text, secrets)]
    .filter(({ from, to }) => from < open && open < to);
  return Math.min(open, ...reaching.map(({ from }) => from));
}

/** Returns the first index from `at` on that is not inside a secret. */
function safeStart(text: string, at: number, secrets: readonly Secret[]): number {
  const spellings = secrets.flatMap(spellingsOf);
  // The end of a secret may be inside another secret, so the search is repeated.
  for (let start = at;;) {
    const before = start;
    for (const one of spellings) {
      for (let end; (end = endAcross(text, start, one)) > start;) start = end;
    }
    if (start === before) return start;
  }
}

/** Returns the end of the last occurrence of `value` that begins before `at` and ends after it; 0 if there is none. */
function endAcross(text: string, at: number, value: string): number {
  const first = Math.max(0, at - value.length + 1);
  const found = text.slice(first, at + value.length - 1).lastIndexOf(value);
  return found < 0 ? 0 : first + found + value.length;
}
