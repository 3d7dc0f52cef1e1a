// Fills in variables in the values of one server, in this product's notation and in those of other clients. The size is
// limited, because a short text may repeat a long value many times.
import { isSecretName, type Secret, SHORTEST_SECRET } from "../../../secrets/secret.ts";

/** The maximum size of a server's filled-in values in characters. No program accepts a longer argument. */
export const MAX_EXPANDED_CHARACTERS = 128 * 1024;

/** Matches `$$` and `${…}`, also without its end. */
const IN_VALUES = /\$\$|\$\{([^}]*)(\}?)/g;
/** In a command line `$$` has a meaning of its own, except before a brace. */
const IN_COMMANDS = /\$\$(?=\{)|\$\{([^}]*)(\}?)/g;
const VARIABLE = /^(?:env:)?([A-Za-z_]\w*)(?::-([^{$]*))?$/;
const INPUT = /^input:([\w.-]+)$/;
/** `${command:…}`. In shells other characters follow a colon. */
const CLIENTS_SHAPE = /^[A-Za-z]\w*:(?=[A-Za-z])/;
const CLIENTS_SHAPE_OR_DEFAULT = /^[A-Za-z]\w*:(?=[A-Za-z-])/;
const BARE = /^\$([A-Za-z_]\w*)$/;
/** `Bearer $TOKEN`, `https://host/mcp?key=$KEY`. */
const BARE_WITHIN = /^(?:\w+ +|https?:\S*[=/])\$([A-Z_][A-Z0-9_]*)(?=$|[&/])/;
const REMEDY = "write ${NAME} or ${NAME:-default}";

/** Fills in variables, and collects their faults and secret values. */
export class Expansion {
  /** Undefined variables by name, as written and with their places. */
  readonly #undefined = new Map<string, { shape: string; places: Set<string> }>();
  readonly #faults = new Set<string>();
  readonly #secrets = new Map<string, Secret>();
  readonly #lookup: (name: string) => string | undefined;
  #characters = 0;

  constructor(lookup: (name: string) => string | undefined) {
    this.#lookup = lookup;
  }

  /** True if the values exceed the limit. Some variables were left empty then. */
  get isTooLarge(): boolean {
    return this.#characters > MAX_EXPANDED_CHARACTERS;
  }

  /** Secret values that were filled in. */
  get secrets(): Secret[] {
    return [...this.#secrets.values()];
  }

  /** The reason that the values cannot be used, as the end of a sentence without any value. */
  get problem(): string | undefined {
    if (this.#undefined.size > 0) {
      const shapes = [...this.#undefined.values()].map(({ shape }) => shape).join(", ");
      const names = [...this.#undefined].map(([name, { places }]) =>
        `${name} (${[...places].join(", ")})`
      ).join(", ");
      return `${shapes} is not defined: set ${names} in the workspace's .env or in the shell`;
    }
    if (this.#faults.size > 0) return [...this.#faults].join("; ");
    const most = `${MAX_EXPANDED_CHARACTERS / 1024} KB`;
    return this.isTooLarge
      ? `its values have over ${most} after their variables are filled in`
      : undefined;
  }

  /**
   * Returns the text with its variables filled in. `at` is its path in the entry (`env.TOKEN`). In `env`, `headers` and
   * `url`, `$NAME` may be a whole value, and anything else that resembles a variable is a fault. Elsewhere a shell may read
   * it.
   */
  fill(text: string, at = ""): string {
    const place = at.replaceAll(/\p{Cc}/gu, "");
    const isValue = /^(env\.|headers\.|url$)/.test(place);
    if (isValue) {
      const bare = BARE.exec(text)?.[1];
      if (bare !== undefined) return this.#fillBare(bare, place);
      const within = BARE_WITHIN.exec(text)?.[1];
      if (within !== undefined) {
        this.#faults.add(`${place} holds $${within}: write \${${within}}, or $$ for a dollar`);
      }
    }
    return text.replaceAll(isValue ? IN_VALUES : IN_COMMANDS, (whole, inner?: string, end = "") => {
      if (inner === undefined) return "$";
      const [, name, fallback] = VARIABLE.exec(inner) ?? [];
      const input = INPUT.exec(inner)?.[1];
      if (end !== "" && name !== undefined) {
        return this.#value(name, { shape: `\${${inner}}`, place, fallback });
      }
      if (end !== "" && input !== undefined) {
        const variable = `INPUT_${input.toUpperCase().replaceAll(/\W/g, "_")}`;
        return this.#value(variable, { shape: whole, place });
      }
      const client = (isValue ? CLIENTS_SHAPE_OR_DEFAULT : CLIENTS_SHAPE).exec(inner)?.[0];
      // A value of `env` may be a script with variables of its shell.
      const isOther = isValue && (whole === text || !place.startsWith("env."));
      if (isOther || client !== undefined) {
        const shape = `\${${client ?? ""}…}`;
        this.#faults.add(`${place} holds ${shape}: ${REMEDY}, or $\${ for a dollar and a brace`);
      }
      return whole;
    });
  }

  /** A text that begins with a dollar may be a password, so the message repeats only names in capitals. */
  #fillBare(name: string, place: string): string {
    if (/^[A-Z_][A-Z0-9_]*$/.test(name) || this.#lookup(name) !== undefined) {
      return this.#value(name, { shape: `$${name}`, place });
    }
    this.#faults.add(`${place} begins with $ and names no variable: ${REMEDY}, or $$ for a dollar`);
    return "";
  }

  #value(
    name: string,
    { shape, place, fallback }: { shape: string; place: string; fallback?: string | undefined },
  ): string {
    const found = this.#lookup(name);
    const value = fallback === undefined ? found : found || fallback;
    if (value === undefined) {
      const known = this.#undefined.get(name) ?? { shape, places: new Set() };
      known.places.add(place);
      this.#undefined.set(name, known);
      return shape;
    }
    this.#characters += value.length;
    if (this.isTooLarge) return "";
    const trimmed = value.trim();
    if (isSecretName(name) && trimmed.length >= SHORTEST_SECRET) {
      this.#secrets.set(trimmed, { name, value: trimmed });
    }
    return value;
  }
}
