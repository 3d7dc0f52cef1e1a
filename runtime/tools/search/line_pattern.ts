// Compiles the pattern of a search. An expression takes time in proportion to the text: the engine re2js does not backtrack.
// Native expressions of V8, which could take exponential time, find only literals.
import { Buffer } from "node:buffer";
import type { RE2JS } from "re2js";
import { lazyModule } from "../../../base/lazy_module.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { type Alternatives, type ByteLiterals, LiteralFilter } from "./literal_filter.ts";

const loadEngine = lazyModule(() => import("re2js"));
const MAX_PATTERN_CHARACTERS = 1_000;
/** The maximum number of the engine's instructions. The time for one character is at most proportional to it. */
const MAX_INSTRUCTIONS = 2_000;
/** The characters with a meaning in an expression. */
const SPECIAL = /[\\^$.*+?()[\]{}|]/g;
/** The maximum number of literals that a line must contain before the engine tests it. */
const MAX_REQUIRED = 4;
const DECODER = new TextDecoder();
/** The anchors of a text's beginning and end, which differ for a line and for the text that contains it. */
const TEXT_ANCHOR = /\\[Az]/;

/** A line that matches: its position in the text, and the position of the match in it as far as it is known. */
export interface MatchingLine {
  from: number;
  to: number;
  at: number;
}

/** A compiled pattern, which matches within lines. */
export class LinePattern {
  readonly #engine: RE2JS | undefined;
  /** Find literals that each match contains, the longest literals first. Empty: the pattern requires no literal. */
  readonly #literals: readonly RegExp[];
  /** The same for a text whose characters are the bytes of UTF-8. Undefined: literals may have several forms in bytes. */
  readonly #filter: LiteralFilter | undefined;
  readonly #hasTextAnchor: boolean;

  private constructor(
    source: string,
    options: { engine?: RE2JS; required: readonly Alternatives[]; ignoreCase: boolean },
  ) {
    const { engine, required, ignoreCase } = options;
    this.#engine = engine;
    this.#hasTextAnchor = TEXT_ANCHOR.test(source);
    const flags = ignoreCase ? "giu" : "g";
    this.#literals = required.map((texts) => new RegExp(oneOf(texts), flags));
    const manyFormed = ignoreCase ? /[^\0-\x7f]/ : /\ufffd/;
    if (required.length === 0 || manyFormed.test(required.join())) return;
    const bytes = required.map((texts) => texts.map((one) => Buffer.from(one).toString("latin1")));
    const expressions = bytes.map(oneOf).map((source) =>
      ignoreCase ? new RegExp(withOtherForms(source), "gi") : new RegExp(source, "g")
    );
    this.#filter = new LiteralFilter({ texts: ignoreCase ? [] : bytes, expressions });
  }

  /** The literals that each match contains, if they have only one form in bytes. */
  get literals(): ByteLiterals | undefined {
    return this.#filter?.literals;
  }

  /** Compiles a pattern. Throws ToolFailure if it is invalid or too complicated. */
  static async compile(
    source: string,
    { literal, ignoreCase }: { literal: boolean; ignoreCase: boolean },
  ): Promise<LinePattern> {
    if (source.length > MAX_PATTERN_CHARACTERS) {
      throw new ToolFailure(
        `The pattern is too long: ${source.length} characters, at most ${MAX_PATTERN_CHARACTERS}.`,
      );
    }
    if (source.includes("\n") || (!literal && source.includes("\\n"))) {
      throw new ToolFailure("A pattern matches within one line: search without the line break.");
    }
    if (literal || source.search(SPECIAL) < 0) {
      return new LinePattern(source, { required: [[source]], ignoreCase });
    }
    const { RE2JS, RE2JSException } = await loadEngine();
    try {
      const text = RE2JS.translateRegExp(source);
      // Compiled without flags first, because an error's text contains the flags.
      const plain = RE2JS.compile(text);
      const { MULTILINE, CASE_INSENSITIVE } = RE2JS;
      const engine = RE2JS.compile(text, MULTILINE | (ignoreCase ? CASE_INSENSITIVE : 0));
      if (engine.programSize() > MAX_INSTRUCTIONS) {
        throw new ToolFailure("The pattern is too complicated: use smaller repetition counts.");
      }
      const analysis: Prefilter | null = plain.re2().prefilter;
      const required = (analysis === null ? [] : requiredLiterals(analysis)).slice(0, MAX_REQUIRED);
      return new LinePattern(source, { engine, required, ignoreCase });
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      const reason = error.message.replace(/^error parsing regexp: /, "");
      throw new ToolFailure(
        `The pattern is not valid: ${reason}. It may have no lookahead, lookbehind or backreference; ` +
          "`literal: true` searches for the text as it is.",
        { cause: error },
      );
    }
  }

  /** Returns true if a line of a text with these bytes matches. Decodes as few lines as possible. */
  isIn(bytes: Buffer): boolean {
    const filter = this.#filter;
    if (filter === undefined) return !this.linesOf(DECODER.decode(bytes)).next().done;
    const text = bytes.toString("latin1");
    return filter.mayMatch(text) &&
      !this.#linesOf(text, filter.literals.expressions).next().done;
  }

  /** Yields the matching lines of a text. The end of a line is `\n` or `\r\n`. */
  linesOf(text: string): Generator<MatchingLine> {
    return this.#linesOf(text, this.#literals);
  }

  *#linesOf(text: string, literals: readonly RegExp[]): Generator<MatchingLine> {
    if (literals.length === 0 && !this.#hasTextAnchor) {
      const lines = text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
      if (!this.#engine?.test(lines)) return;
    }
    /** The next position of each literal. */
    const next = literals.map(() => -1);
    for (let from = 0; from < text.length;) {
      // Leaps to the next line that contains each literal. The rarest literal makes the longest leaps.
      for (let index = 0; index < literals.length; index++) {
        if (next[index]! < from) {
          const literal = literals[index]!;
          literal.lastIndex = from;
          const found = literal.exec(text);
          if (found === null) return;
          next[index] = found.index;
        }
        const start = text.lastIndexOf("\n", next[index]! - 1) + 1;
        if (start <= from) continue;
        from = start;
        index = -1;
      }
      const end = text.indexOf("\n", next[0] ?? from);
      const to = end < 0 ? text.length : end;
      const line = text.slice(from, text[to - 1] === "\r" ? to - 1 : to);
      const isMatch = this.#engine?.test(
        literals === this.literals?.expressions ? decoded(line) : line,
      );
      if (isMatch !== false) yield { from, to, at: (next[0] ?? from) - from };
      from = to + 1;
    }
  }

  /** Returns the position of the match in a line that matches. */
  positionIn(line: string, { at }: MatchingLine): number {
    if (this.#literals.length > 0) return at;
    const matcher = this.#engine?.matcher(line);
    return matcher?.find() ? matcher.start() : 0;
  }
}

/** The engine's analysis of an expression. Its type declarations call it `any`. */
interface Prefilter {
  type: number;
  /** The literal of EXACT. */
  str: string;
  /** The parts of ALL and ANY. */
  subs: readonly Prefilter[];
}

/** The types of a Prefilter. A match contains the literal, contains every part, or contains one of the parts. */
const EXACT = 1;
const ALL = 2;
const ANY = 3;

/** Returns the source of an expression that finds any of the texts. Without a group, V8 takes longer to find one text. */
function oneOf(texts: Alternatives): string {
  return `(${texts.map((one) => one.replace(SPECIAL, "\\$&")).join("|")})`;
}

/** Lets an expression of ASCII letters find their other forms in bytes, too: the Kelvin sign for k, and the long s. */
function withOtherForms(source: string): string {
  return source.replace(/k/gi, "(?:k|\xe2\x84\xaa)").replace(/s/gi, "(?:s|\xc5\xbf)");
}

/** Decodes a line whose characters are bytes of UTF-8. */
function decoded(line: string): string {
  return /[^\0-\x7f]/.test(line) ? DECODER.decode(Buffer.from(line, "latin1")) : line;
}

/** Returns the literals that the expression requires, those with the longest texts first. */
function requiredLiterals({ type, str, subs }: Prefilter): Alternatives[] {
  if (type === EXACT) return [[str]];
  const parts = subs.map(requiredLiterals);
  if (type === ALL) return parts.flat().toSorted((a, b) => shortest(b) - shortest(a));
  const longest = parts.flatMap(([first]) => first === undefined ? [] : [first]);
  return type === ANY && longest.length === subs.length ? [longest.flat()] : [];
}

function shortest(texts: Alternatives): number {
  return Math.min(...texts.map(({ length }) => length));
}
