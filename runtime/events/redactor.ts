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
    const known = this.#held + text;
    const marks = findMarks(known, this.#secrets);
    const longest = this.#secrets.flatMap(spellingsOf).map((one) => overlap(known, one));
    const open = known.length - Math.max(0, ...longest);
    // A secret that reaches into what may be the beginning of another waits with it.
    const end = marks.find((mark) => mark.from < open && open < mark.to)?.from ?? open;
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

/** The length of the longest end of `text` that is a true beginning of `value`. */
function overlap(text: string, value: string): number {
  for (let length = Math.min(text.length, value.length - 1); length > 0; length--) {
    if (text.endsWith(value.slice(0, length))) return length;
  }
  return 0;
}

/** A stretch of text that is secret, under the name of the longest secret in it. */
interface Mark {
  from: number;
  to: number;
  name: string;
}

function redactText(text: string, secrets: readonly Secret[]): string {
  return replaceMarks(text, findMarks(text, secrets));
}

/** A value as it is, and as JSON spells it. */
function spellingsOf({ value }: Secret): string[] {
  const quoted = JSON.stringify(value).slice(1, -1);
  return quoted === value ? [value] : [value, quoted];
}

/** Every stretch that is secret, in order. Secrets that overlap are one: what is left of one would tell of it. */
function findMarks(text: string, secrets: readonly Secret[]): Mark[] {
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

function replaceMarks(text: string, marks: readonly Mark[]): string {
  let result = "";
  let end = 0;
  for (const { from, to, name } of marks) {
    result += `${text.slice(end, from)}[redacted:${name}]`;
    end = to;
  }
  return result + text.slice(end);
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
