// Splits the words of a command line into options, their texts and operands. The parser and the completion share it, so
// that they agree.
import type { Option } from "./option.ts";

/** The allowed options by their keys. */
export type Options = Readonly<Record<string, Option>>;

/** A token of one or two words. */
export type Token =
  | { kind: "option"; key: string; option: Option; text: string | undefined }
  /** An option that takes a text, at the end of the words. */
  | { kind: "unfinished"; option: Option }
  /** `--json=yes` for an option without a text. */
  | { kind: "overfull"; option: Option }
  | { kind: "unknown"; word: string }
  | { kind: "operand"; word: string };

/** Reads tokens from words. */
export class Scanner {
  readonly #words: readonly string[];
  #next = 0;
  /** The rest of a cluster such as `-qvn5`, with a dash before it. */
  #cluster: string | undefined;
  #isBehindDashes = false;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  /** True after `--`: every further word is an operand. */
  get isBehindDashes(): boolean {
    return this.#isBehindDashes;
  }

  /** Reads the next token with these options; undefined at the end. */
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

  /** Reads the value of an option. A required value is the next word, even if that begins with a dash: `--message -q`. */
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

/** Returns the option with this name (`-q` or `--quiet`) and its key. */
export function findOption(options: Options, name: string): [string, Option] | undefined {
  return Object.entries(options).find(([, { short, long }]) => name === short || name === long);
}

/** Returns whether a word is an option. `-` means standard input, and `-5` is a number. */
export function looksLikeOption(word: string): boolean {
  return word.length > 1 && word.startsWith("-") &&
    !/^-(\d+|\d*\.\d+)([eE][+-]?\d+)?$/.test(word);
}
