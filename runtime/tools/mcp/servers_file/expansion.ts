// Variables in the values of one server, in the shapes of this product and of other clients, filled in within bounds: a few
// letters may stand for a long value, many times over.
import { isSecretName, type Secret, SHORTEST_SECRET } from "../../../secrets/secret.ts";

/** What the filled-in values of one server may come to, in characters; no program takes an argument that is longer. */
export const MAX_EXPANDED_CHARACTERS = 128 * 1024;

/** `$$` and `${…}`, also one without its end. */
const IN_VALUES = /\$\$|\$\{([^}]*)(\}?)/g;
/** In a command line `$$` has a meaning of its own, except before a brace. */
const IN_COMMANDS = /\$\$(?=\{)|\$\{([^}]*)(\}?)/g;
const VARIABLE = /^(?:env:)?([A-Za-z_]\w*)(?::-([^{$]*))?$/;
const INPUT = /^input:([\w.-]+)$/;
/** `${command:…}`; shells have other characters behind a colon. */
const CLIENTS_SHAPE = /^[A-Za-z]\w*:(?=[A-Za-z])/;
const CLIENTS_SHAPE_OR_DEFAULT = /^[A-Za-z]\w*:(?=[A-Za-z-])/;
const BARE = /^\$([A-Za-z_]\w*)$/;
/** `Bearer $TOKEN`, `https://host/mcp?key=$KEY`. */
const BARE_WITHIN = /^(?:\w+ +|https?:\S*[=/])\$([A-Z_][A-Z0-9_]*)(?=$|[&/])/;
const REMEDY = "write ${NAME} or ${NAME:-default}";

/** Fills variables in and remembers what was wrong with them, and which are secret. */
export class Expansion {
  /** Undefined variables: as an entry names them, and the places. */
  readonly #undefined = new Map<string, { shape: string; places: Set<string> }>();
  readonly #faults = new Set<string>();
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

  /** Why the values cannot be used, as the end of a sentence that repeats none of them. */
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
      ? `its values come to over ${most} once their variables are filled in`
      : undefined;
  }

  /**
   * The text with its variables. `at` is its path in the entry (`env.TOKEN`): in `env`, `headers` and `url`, `$NAME` may be a
   * whole value, and nothing that looks like a variable stays; elsewhere a shell may be meant to read it.
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
      // A value of `env` may be a script, in whose middle a shell finds what is its own.
      const isOther = isValue && (whole === text || !place.startsWith("env."));
      if (isOther || client !== undefined) {
        const shape = `\${${client ?? ""}…}`;
        this.#faults.add(`${place} holds ${shape}: ${REMEDY}, or $\${ for a dollar and a brace`);
      }
      return whole;
    });
  }

  /** What begins with a dollar may be a password: only a name in capitals is repeated. */
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
