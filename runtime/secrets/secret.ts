// Defines secrets: the names of variables that contain one, and the parts of values that redaction hides.
import type { Clock } from "../../base/clock.ts";

/** A value that must not be shown, and the name of its variable. */
export interface Secret {
  name: string;
  value: string;
}

/** The minimum length of a redacted value, in characters. Shorter values are too common in ordinary text. */
export const SHORTEST_SECRET = 8;

/**
 * Returns the parts of a value that are redacted: the whole value, and each of its lines, because texts are also shown line
 * by line. Excludes short parts, and the first and last line of a PEM text.
 */
export function hiddenParts(value: string): string[] {
  const whole = value.trim();
  return [...new Set([whole, ...whole.split(/[\r\n]+/).map((line) => line.trim())])]
    .filter((part) =>
      part.length >= SHORTEST_SECRET && !/^-----(BEGIN|END) [^-]+-----$/.test(part)
    );
}

/**
 * Returns true if the name marks a variable as secret: `KEY`, `TOKEN`, `SECRET`, `PASSWORD`, or a name that ends with `_`
 * and one of these words.
 */
export function isSecretName(name: string): boolean {
  return /(^|_)(KEY|TOKEN|SECRET|PASSWORD)$/i.test(name);
}

/** Returns a function that returns the secrets of both lists, longest first: the same list until one of the lists changes. */
export function joinSecrets(
  first: () => readonly Secret[],
  second: () => readonly Secret[],
): () => readonly Secret[] {
  return combined(
    first,
    second,
    (some, others) =>
      others.length === 0
        ? some
        : [...some, ...others].sort((a, b) => b.value.length - a.value.length),
  );
}

/** The milliseconds for which the redactions of runs use the result of one check for changed secrets. */
const KEPT_MS = 250;

/** The secrets for the redactions of runs, checked for changes less often, because a run redacts about twenty texts. */
export class KeptSecrets {
  readonly #secrets: () => readonly Secret[];
  readonly #clock: Clock;
  #kept: { list: readonly Secret[]; until: number } | undefined;

  constructor(secrets: () => readonly Secret[], clock: Clock) {
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /** Returns the secrets as they were at most KEPT_MS ago. */
  list(): readonly Secret[] {
    const now = this.#clock.elapsed?.() ?? this.#clock.now();
    if (this.#kept === undefined || now >= this.#kept.until) {
      this.#kept = { list: this.#secrets(), until: now + KEPT_MS };
    }
    return this.#kept.list;
  }

  /** Makes the next call of list() check for changes. */
  renew(): void {
    this.#kept = undefined;
  }
}

/** Returns a function that returns the secrets with these names: the same list until the secrets or the names change. */
export function selectSecrets(
  secrets: () => readonly Secret[],
  names: () => ReadonlySet<string>,
): () => readonly Secret[] {
  return combined(secrets, names, (all, some) => all.filter(({ name }) => some.has(name)));
}

/**
 * Returns a function that returns `combine` of both values: the same list until one of the values is another object.
 * Redaction caches its search index by the list object.
 */
function combined<First, Second>(
  first: () => First,
  second: () => Second,
  combine: (first: First, second: Second) => readonly Secret[],
): () => readonly Secret[] {
  let last: { first: First; second: Second; list: readonly Secret[] } | undefined;
  return () => {
    const [one, other] = [first(), second()];
    if (last?.first !== one || last.second !== other) {
      last = { first: one, second: other, list: combine(one, other) };
    }
    return last.list;
  };
}
