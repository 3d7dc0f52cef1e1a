// Fills in variables in the values of an entry, in the notation of Inkling and of other MCP clients. The total size is
// limited, because a short text may repeat a long value many times.
import { isSecretName, type Secret, SHORTEST_SECRET } from "../../../secrets/secret.ts";

/**
 * The maximum total length of the values that are filled into one entry, in UTF-16 code units. No program accepts a longer
 * argument.
 */
export const MAX_EXPANDED_CHARACTERS = 128 * 1024;

/** Matches `$$` and `${…}` in the values of `env`, `headers` and `url`, also if the closing brace is missing. */
const IN_VALUES = /\$\$|\$\{([^}]*)(\}?)/g;
/** Matches `${…}` and `$${` in a command line. There `$$` without a brace has a meaning for shells. */
const IN_COMMANDS = /\$\$(?=\{)|\$\{([^}]*)(\}?)/g;
const VARIABLE = /^(?:env:)?([A-Za-z_]\w*)(?::-([^{$]*))?$/;
const INPUT = /^input:([\w.-]+)$/;
/**
 * Matches the beginning of `${command:…}`, a notation of other MCP clients. In shells, a letter cannot follow the colon.
 */
const CLIENTS_SHAPE = /^[A-Za-z]\w*:(?=[A-Za-z])/;
const CLIENTS_SHAPE_OR_DEFAULT = /^[A-Za-z]\w*:(?=[A-Za-z-])/;
const BARE = /^\$([A-Za-z_]\w*)$/;
/** Matches `Bearer $TOKEN` and `https://host/mcp?key=$KEY`. */
const BARE_WITHIN = /^(?:\w+ +|https?:\S*[=/])\$([A-Z_][A-Z0-9_]*)(?=$|[&/])/;
const REMEDY = "write ${NAME} or ${NAME:-default}";

/** The variables of one entry. Fills them in, and collects their faults and secret values. */
export class Expansion {
  /** The variables without a value, by name: how they are written, and their places in the entry. */
  readonly #undefined = new Map<string, { shape: string; places: Set<string> }>();
  readonly #faults = new Set<string>();
  readonly #secrets = new Map<string, Secret>();
  readonly #lookup: (name: string) => string | undefined;
  #characters = 0;

  constructor(lookup: (name: string) => string | undefined) {
    this.#lookup = lookup;
  }

  /** True if the values exceed the limit. The variables beyond it were filled in as empty texts. */
  get isTooLarge(): boolean {
    return this.#characters > MAX_EXPANDED_CHARACTERS;
  }

  /** The secret values that were filled in. */
  get secrets(): Secret[] {
    return [...this.#secrets.values()];
  }

  /** The reason that the values cannot be used, as a clause that contains no value. Undefined if they can be used. */
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
   * Returns the text with its variables filled in. `at` is the text's path in the entry, such as `env.TOKEN`. In `env`,
   * `headers` and `url`, a whole value may be `$NAME`, and any other text like a variable is a fault. Other texts may
   * contain variables of a shell, which stay unchanged.
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
      // A value in `env` may be a script that contains variables of its shell.
      const isOther = isValue && (whole === text || !place.startsWith("env."));
      if (isOther || client !== undefined) {
        const shape = `\${${client ?? ""}…}`;
        this.#faults.add(`${place} holds ${shape}: ${REMEDY}, or $\${ for a dollar and a brace`);
      }
      return whole;
    });
  }

  /**
   * Returns the value of a variable that is written as `$NAME`. Adds a fault if it is not defined. The text may be a
   * password that begins with a dollar, so the fault contains the name only if it is in capitals.
   */
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
