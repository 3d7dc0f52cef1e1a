// `${NAME}` in the values of one server, filled in within bounds: a few letters may stand for a long value, many times over.
import { isSecretName, type Secret, SHORTEST_SECRET } from "../../../secrets/secret.ts";

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** What the filled-in values of one server may come to, in characters; no program takes an argument that is longer. */
export const MAX_EXPANDED_CHARACTERS = 128 * 1024;

/** Fills variables in and remembers what was wrong with them, and which are secret. */
export class Expansion {
  readonly undefinedNames = new Set<string>();
  readonly #secrets = new Map<string, Secret>();
  readonly #lookup: (name: string) => string | undefined;
  #characters = 0;

  constructor(lookup: (name: string) => string | undefined) {
    this.#lookup = lookup;
  }

  /** Whether more came out than may; some variables were left empty then. */
  get isTooLarge(): boolean {
    return this.#characters > MAX_EXPANDED_CHARACTERS;
  }

  /** Secret values that were filled in. */
  get secrets(): Secret[] {
    return [...this.#secrets.values()];
  }

  fill(text: string): string {
    return text.replaceAll(VARIABLE, (whole, name: string) => {
      const value = this.#lookup(name);
      if (value === undefined) {
        this.undefinedNames.add(name);
        return whole;
      }
      this.#characters += value.length;
      if (this.isTooLarge) return "";
      const trimmed = value.trim();
      if (isSecretName(name) && trimmed.length >= SHORTEST_SECRET) {
        this.#secrets.set(trimmed, { name, value: trimmed });
      }
      return value;
    });
  }
}
