// Collects the tokens of remote MCP servers for redaction. A replaced token stays, because an earlier text may contain it.
import type { Secret } from "../../../secrets/secret.ts";

/** The maximum number of values. Each renewal of a token adds at most two, so old ones have ended long before. */
const MAX_VALUES = 500;

/** The tokens that this process has read or received since its start. */
export class TokenSecrets {
  #list: readonly Secret[] = [];
  readonly #onAdd: () => void;

  /** `onAdd` is called when a value becomes known. */
  constructor(onAdd: () => void = () => {}) {
    this.#onAdd = onAdd;
  }

  /** The values, longest first. The same list until a value is added. */
  get list(): readonly Secret[] {
    return this.#list;
  }

  /** Adds values. From now on they are redacted. */
  add(secrets: readonly Secret[]): void {
    const known = new Set(this.#list.map(({ value }) => value));
    const fresh = secrets.filter(({ value }) => !known.has(value));
    if (fresh.length === 0) return;
    this.#newestFirst = [...fresh, ...this.#newestFirst].slice(0, MAX_VALUES);
    this.#list = this.#newestFirst.toSorted((a, b) => b.value.length - a.value.length);
    this.#onAdd();
  }

  #newestFirst: Secret[] = [];
}
