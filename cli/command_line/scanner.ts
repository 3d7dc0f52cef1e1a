// Reads words one by one as options, their texts and operands. The parser and the Tab key read through it, so that they
// cannot differ. What the words mean to a command is left to whoever asks.
import type { Option } from "./option.ts";

/** The options that may be typed, by the key under which each is declared. */
export type Options = Readonly<Record<string, Option>>;

/** What a word, or two of them, turned out to be. */
export type Token =
  | { kind: "option"; key: string; option: Option; text: string | undefined }
  /** An option that takes a text, and the words are over. */
  | { kind: "unfinished"; option: Option }
  /** `--json=yes`, and it takes no text. */
  | { kind: "overfull"; option: Option }
  | { kind: "unknown"; word: string }
  | { kind: "operand"; word: string };

/** Words on their way to being tokens. */
export class Scanner {
  readonly #words: readonly string[];
  #next = 0;
  /** What is left of `-qvn5`, with a dash before it. */
  #cluster: string | undefined;
  #isBehindDashes = false;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  /** Whether `--` was read: nothing is an option any more. */
  get isBehindDashes(): boolean {
    return this.#isBehindDashes;
  }

  /** The next token, read with the options that may stand there; undefined at the end. */
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

  /** An option with what follows it. Whatever follows one that needs a text is that text: `--message -q`. */
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

/** The option with a name, `-q` or `--quiet`, and its key. */
export function findOption(options: Options, name: string): [string, Option] | undefined {
  return Object.entries(options).find(([, { short, long }]) => name === short || name === long);
}

/** Whether a word is read as an option. `-` alone is a name for standard input, and `-5` is a number. */
export function looksLikeOption(word: string): boolean {
  return word.length > 1 && word.startsWith("-") &&
    !/^-(\d+|\d*\.\d+)([eE][+-]?\d+)?$/.test(word);
}
