// Keeps secret values out of everything that is shown: frames, log lines, errors, answers. One step, in one path.

/** A value that must not be shown, and the variable it came from. */
export interface Secret {
  name: string;
  value: string;
}

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

  /** The same for every string inside a JSON-like value; keys and other values stay. */
  redactValue<T>(value: T): T {
    const secrets = this.#secrets();
    return secrets.length === 0 ? value : redactInside(value, secrets) as T;
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
    const safe = redactText(this.#held + text, this.#secrets);
    const kept = Math.max(0, ...this.#secrets.map(({ value }) => overlap(safe, value)));
    this.#held = safe.slice(safe.length - kept);
    return safe.slice(0, safe.length - kept);
  }

  /** What was held back, at the end of the text. */
  flush(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }
}

/** The length of the longest end of `text` that is a true beginning of `value`. */
function overlap(text: string, value: string): number {
  for (let length = Math.min(text.length, value.length - 1); length > 0; length--) {
    if (text.endsWith(value.slice(0, length))) return length;
  }
  return 0;
}

function redactText(text: string, secrets: readonly Secret[]): string {
  let result = text;
  for (const { name, value } of secrets) {
    if (result.includes(value)) result = result.replaceAll(value, `[redacted:${name}]`);
    const quoted = JSON.stringify(value).slice(1, -1);
    if (quoted !== value && result.includes(quoted)) {
      result = result.replaceAll(quoted, `[redacted:${name}]`);
    }
  }
  return result;
}

function redactInside(value: unknown, secrets: readonly Secret[]): unknown {
  if (typeof value === "string") return redactText(value, secrets);
  if (Array.isArray(value)) return value.map((one) => redactInside(one, secrets));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, redactInside(one, secrets)]),
    );
  }
  return value;
}
