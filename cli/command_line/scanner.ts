// Splits the words of a command line into options, option texts and operands. The parser and the completion both use this
// scanner, so that they interpret words in the same way.
import type { Option } from "./option.ts";

/** The options that the scanner accepts, by their keys. */
export type Options = Readonly<Record<string, Option>>;

/** A token: an option with its text, an operand, or an error. */
export type Token =
  | { kind: "option"; key: string; option: Option; text: string | undefined }
  /** An option that needs a text, but is the last word. */
  | { kind: "unfinished"; option: Option }
  /** A text for an option that takes none, such as `--json=yes`. */
  | { kind: "overfull"; option: Option }
  | { kind: "unknown"; word: string }
  | { kind: "operand"; word: string };

/** A scanner that reads tokens from a list of words. */
export class Scanner {
  readonly #words: readonly string[];
  #next = 0;
  /** The unread short options of a word such as `-qvn5`, with a dash before them. */
  #cluster: string | undefined;
  #isBehindDashes = false;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  /** True after the word `--`. Every further word is an operand. */
  get isBehindDashes(): boolean {
    return this.#isBehindDashes;
  }

  /** Returns the next token, or undefined at the end. `options` are the options that are valid at this point. */
  next(options: Options): Token | undefined {
    const cluster = this.#cluster;
    this.#cluster = undefined;
    if (cluster !== undefined) return this.#readOption(cluster, options);
    const word = this.#words[this.#next++];
    if (word === undefined) return undefined;
    if (this.#isBehindDashes || !looksLikeOption(word)) return { kind: "operand", word };
    if (word !== "--") return this.#readOption(word, options);
    this.#isBehindDashes = true;
    return this.next(options);
  }

  #readOption(word: string, options: Options): Token {
    const named = findOption(options, word);
    if (named !== undefined) return this.#readText(named);
    const [, name = word, text = ""] = /^(--[^=]+)=(.*)$/s.exec(word) ??
      /^(-[^-])(.+)$/s.exec(word) ?? [];
    const found = name === word ? undefined : findOption(options, name);
    if (found === undefined) {
      return { kind: "unknown", word: name.startsWith("--") ? name : word };
    }
    const [key, option] = found;
    if (option.takes !== "nothing") return { kind: "option", key, option, text };
    if (name.startsWith("--")) return { kind: "overfull", option };
    this.#cluster = `-${text}`;
    return { kind: "option", key, option, text: undefined };
  }

  /**
   * Returns the token of an option with its text. A required text is the next word, even a word that begins with a dash:
   * `--message -q`.
   */
  #readText([key, option]: [string, Option]): Token {
    const following = this.#words[this.#next];
    switch (option.takes) {
      case "nothing":
        return { kind: "option", key, option, text: undefined };
      case "text":
        this.#next++;
        return following === undefined
          ? { kind: "unfinished", option }
          : { kind: "option", key, option, text: following };
      case "text-or-nothing":
        if (following === undefined || looksLikeOption(following)) {
          return { kind: "option", key, option, text: undefined };
        }
        this.#next++;
        return { kind: "option", key, option, text: following };
      default:
        return option.takes satisfies never;
    }
  }
}

/**
 * Returns the key and the option with this name, which is short (`-q`) or long (`--quiet`). Returns undefined for an
 * unknown name.
 */
export function findOption(options: Options, name: string): [string, Option] | undefined {
  return Object.entries(options).find(([, { short, long }]) => name === short || name === long);
}

/**
 * Returns whether a word is an option. A single `-` is not, because it means standard input, nor is a number such as `-5`.
 */
export function looksLikeOption(word: string): boolean {
  return word.length > 1 && word.startsWith("-") &&
    !/^-(\d+|\d*\.\d+)([eE][+-]?\d+)?$/.test(word);
}
