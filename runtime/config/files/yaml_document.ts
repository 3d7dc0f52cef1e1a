// Parses YAML text to a plain value, with the position of each part. The meaning of keys is irrelevant here.
import type { Document, Node, YAMLParseError } from "yaml";
import { type Diagnostic, escapeControls } from "../../../base/diagnostics.ts";
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from "./yaml_library.ts";
import { keyText, YamlValueReader } from "./yaml_values.ts";

/** The path from the root to a value: map keys and list positions. */
export type YamlPath = readonly PropertyKey[];

/** A position in a text. Line and column count from 1. */
export interface Position {
  line: number;
  column: number;
}

/** A parsed YAML map. */
export interface YamlDocument {
  /** The value, made of plain objects, lists, text, numbers, booleans and null. */
  value: Record<string, unknown>;
  /** The warnings for unsupported tags. */
  warnings: Diagnostic[];
  /**
   * Returns the position of the key or value at a path. For a path that does not exist, returns the position of the nearest
   * existing key above it, or the start of the text.
   */
  locate(path: YamlPath, part?: "key" | "value"): Position;
  /** Returns true if a null is written at a path (`null`, `~`). Returns false for an empty value. */
  isWrittenNull(path: YamlPath): boolean;
}

const MAX_SYNTAX_ERRORS = 10;

/**
 * Parses one YAML 1.2 map; an empty text is an empty map. Otherwise returns all errors: syntax, duplicate keys, several
 * documents, a root that is not a map, unknown aliases, or too many aliases. `lineOffset` is the number of lines before the
 * text in its file.
 */
export function parseYaml(
  text: string,
  options: { path: string; lineOffset?: number },
): { document: YamlDocument } | { diagnostics: Diagnostic[] } {
  const { path, lineOffset = 0 } = options;
  const lineCounter = new LineCounter();
  // YamlValueReader checks for duplicate keys, because the parser's own check takes seconds for a map of 20,000 keys.
  const parsed = parseDocument(text, {
    lineCounter,
    prettyErrors: false,
    uniqueKeys: false,
  });
  const place = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(1, line) + lineOffset, column: Math.max(1, col) };
  };
  const diagnose = (offset: number, severity: Diagnostic["severity"], message: string) => (
    { path, ...place(offset), severity, message: escapeControls(message) }
  );
  if (parsed.errors.length > 0) {
    return {
      diagnostics: causes(parsed.errors).slice(0, MAX_SYNTAX_ERRORS).map((error) =>
        diagnose(syntaxOffset(error, parsed), "error", syntaxMessage(error.code, error.message))
      ),
    };
  }
  const reader = new YamlValueReader(
    parsed.contents,
    (offset, message) => diagnose(offset, "error", message),
  );
  const value = reader.read();
  if (reader.diagnostics.length > 0) return { diagnostics: reader.diagnostics };
  return {
    document: {
      value,
      warnings: parsed.warnings.map((warning) =>
        diagnose(warning.pos[0], "warning", `Broken YAML: ${warning.message}`)
      ),
      locate: (wanted, part = "value") => place(findOffset(parsed, wanted, part)),
      isWrittenNull(wanted) {
        const node = parsed.getIn(wanted, true);
        return isScalar(node) && node.value === null && Boolean(node.source);
      },
    },
  };
}

/**
 * Returns the offset of a syntax error. For an open quote it is the start of the quote, because the parser reports the end
 * of the text.
 */
function syntaxOffset(error: YAMLParseError, document: Document.Parsed): number {
  const [offset] = error.pos;
  if (error.code !== "MISSING_CHAR" || !error.message.includes("quote")) return offset;
  let begin = offset;
  visit(document, {
    Scalar(_key, node) {
      const isQuoted = node.type === "QUOTE_SINGLE" || node.type === "QUOTE_DOUBLE";
      if (isQuoted && node.range && node.range[1] >= offset) begin = node.range[0];
    },
  });
  return begin;
}

/**
 * Returns the errors that are causes. Wrong indentation and missing characters are left out after the first error, because
 * they are only its consequences.
 */
function causes<E extends { code: string }>(errors: readonly E[]): E[] {
  return errors.filter(({ code }, index) =>
    index === 0 || (code !== "BAD_INDENT" && code !== "MISSING_CHAR")
  );
}

function syntaxMessage(code: string, message: string): string {
  switch (code) {
    case "MULTIPLE_DOCS":
      return "Only one YAML document is allowed: a second one begins here";
    case "TAB_AS_INDENT":
      return "Broken YAML: tabs cannot indent; use spaces";
    case "BLOCK_AS_IMPLICIT_KEY":
      return `Broken YAML: ${message} (a text that holds ": " needs quotes)`;
    default:
      return `Broken YAML: ${message}`;
  }
}

function findOffset(document: Document.Parsed, path: YamlPath, part: "key" | "value"): number {
  let node: Node | null = document.contents;
  let key = node?.range?.[0] ?? 0;
  for (const segment of path) {
    if (isAlias(node)) node = node.resolve(document) ?? null;
    if (isMap(node)) {
      const pair = node.items.find((item) => keyText(item.key as Node) === String(segment));
      if (pair === undefined) return key;
      key = (pair.key as Node).range?.[0] ?? key;
      node = pair.value as Node | null;
    } else if (isSeq(node) && typeof segment === "number" && segment < node.items.length) {
      node = node.items[segment] as Node | null;
      key = node?.range?.[0] ?? key;
    } else {
      return part === "value" ? node?.range?.[0] ?? key : key;
    }
  }
  return part === "value" ? node?.range?.[0] ?? key : key;
}
