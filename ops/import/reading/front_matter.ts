// Reads the front matter of other tools' files, which are often no valid YAML.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { parseYaml } from "../../../runtime/config/files/yaml_document.ts";
import { splitFrontMatter } from "../../../runtime/config/files/front_matter.ts";

/** The fields and the text of a Markdown file. */
export interface MarkdownFile {
  /** Undefined if the file has no front matter. */
  fields: JsonObject | undefined;
  body: string;
}

const MAX_YAML_CHARACTERS = 64 * 1_024;

/** Matches comments and blank lines, and a line that opens a code block, before the front matter. */
const BEFORE = /^\uFEFF?(?:\s|<!--[\s\S]*?-->)*(?:```[a-z]*[ \t]*\r?\n)?(?=---)/;

/** Splits a Markdown file. Front matter that is no valid YAML is read line by line. */
export function readMarkdown(text: string): MarkdownFile {
  const [before = ""] = BEFORE.exec(text) ?? [];
  const parts = splitFrontMatter(text.slice(before.length));
  if (parts === "unterminated" || parts.yaml === null) return { fields: undefined, body: text };
  const body = before.includes("```") ? parts.body.replace(/\r?\n```\s*$/, "\n") : parts.body;
  return { fields: readFields(parts.yaml), body };
}

/** Parses a YAML map, or reads it line by line if it is invalid. */
export function readFields(yaml: string): JsonObject {
  if (yaml.length > MAX_YAML_CHARACTERS) return {};
  return readYaml(yaml) ?? readLines(yaml);
}

/** Parses a YAML map. Returns undefined for an invalid text. */
export function readYaml(text: string): JsonObject | undefined {
  const parsed = parseYaml(text, { path: "" });
  if (!("document" in parsed)) return undefined;
  const value: unknown = JSON.parse(JSON.stringify(parsed.document.value));
  return isJsonObject(value) ? value : undefined;
}

/**
 * Reads lines `key: value`. A value may go on in the next lines until a line with another key. A value that is no valid
 * YAML is text.
 */
function readLines(yaml: string): JsonObject {
  const entries: [string, string[]][] = [];
  for (const line of yaml.split(/\r?\n/)) {
    const [, key, rest = ""] = /^([A-Za-z][\w-]*):(?:[ \t]+(.*)|)$/.exec(line) ?? [];
    if (key !== undefined) entries.push([key, [rest]]);
    else entries.at(-1)?.[1].push(line);
  }
  return Object.fromEntries(entries.map(([key, lines]) => [key, readValue(lines.join("\n"))]));
}

function readValue(text: string): JsonValue {
  const value = readYaml(`value: ${text}`)?.["value"] ?? null;
  // A text with a colon looks like a map on one line.
  const isText = value === null || isJsonObject(value) && !/^(?:\n|\{)/.test(text);
  return isText ? text.trim() : value;
}
