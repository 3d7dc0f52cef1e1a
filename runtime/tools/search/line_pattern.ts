// Compiles the pattern of a search. An expression takes time in proportion to the text: the engine re2js does not backtrack.
// Native expressions of V8, which could take exponential time, find only literals.
import type { RE2JS } from "re2js";
import { lazyModule } from "../../../base/lazy_module.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { ByteNeedle } from "./byte_needle.ts";

const loadEngine = lazyModule(() => import("re2js"));
const MAX_PATTERN_CHARACTERS = 1_000;
/** The maximum number of the engine's instructions. The time for one character is at most proportional to it. */
const MAX_INSTRUCTIONS = 2_000;
/** The characters with a meaning in an expression. */
const SPECIAL = /[\\^$.*+?()[\]{}|]/g;
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
  /** Finds literals of which each match contains one. Undefined: the pattern requires no literal. */
  readonly #literals: RegExp | undefined;
  readonly #hasTextAnchor: boolean;
  /** The literal that each match contains. Undefined: there are several, or letter case does not matter. */
  readonly #needle: ByteNeedle | undefined;

  private constructor(
    source: string,
    options: { engine?: RE2JS; literals: readonly string[]; ignoreCase: boolean },
  ) {
    const { engine, literals, ignoreCase } = options;
    const [first, ...others] = literals;
    this.#engine = engine;
    this.#hasTextAnchor = TEXT_ANCHOR.test(source);
    if (first === undefined) return;
    const either = literals.map((one) => one.replace(SPECIAL, "\\$&")).join("|");
    this.#literals = new RegExp(either, ignoreCase ? "giu" : "g");
    if (others.length === 0 && !ignoreCase) this.#needle = ByteNeedle.of(first);
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
      return new LinePattern(source, { literals: [source], ignoreCase });
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
      const literals = analysis === null ? [] : requiredLiterals(analysis);
      return new LinePattern(source, { engine, literals, ignoreCase });
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

  /** Returns false if no line of a text with these bytes matches. Takes much less time than decoding them. */
  mayMatch(bytes: Uint8Array): boolean {
    return this.#needle?.isIn(bytes) ?? true;
  }

  /** Yields the matching lines of a text. The end of a line is `\n` or `\r\n`. */
  *linesOf(text: string): Generator<MatchingLine> {
    const engine = this.#engine;
    const literals = this.#literals;
    if (literals === undefined && !this.#hasTextAnchor) {
      if (!engine?.test(text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text)) return;
    }
    for (let from = 0; from < text.length;) {
      let at = from;
      if (literals !== undefined) {
        literals.lastIndex = from;
        const found = literals.exec(text);
        if (found === null) return;
        at = found.index;
        from = Math.max(from, text.lastIndexOf("\n", at - 1) + 1);
      }
      const end = text.indexOf("\n", at);
      const to = end < 0 ? text.length : end;
      const isMatch = engine === undefined ||
        engine.test(text.slice(from, text[to - 1] === "\r" ? to - 1 : to));
      if (isMatch) {
        yield { from, to, at: at - from };
      }
      from = to + 1;
    }
  }

  /** Returns the position of the match in a line that matches. */
  positionIn(line: string, { at }: MatchingLine): number {
    if (this.#literals !== undefined) return at;
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

/**
 * Returns literals of which each match contains at least one: the longest that the expression requires. Returns none if it
 * requires no literal.
 */
function requiredLiterals({ type, str, subs }: Prefilter): string[] {
  if (type === EXACT) return [str];
  const parts = subs.map(requiredLiterals).filter(({ length }) => length > 0);
  if (type === ANY) return parts.length < subs.length ? [] : parts.flat();
  if (type !== ALL) return [];
  const shortest = (one: readonly string[]) => Math.min(...one.map(({ length }) => length));
  return parts.toSorted((a, b) => shortest(b) - shortest(a))[0] ?? [];
}
