// Parses other tools' files: data in JSON, YAML and TOML, and Markdown with front matter, which is often no valid YAML.
import { parse as parseToml } from "smol-toml";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { toPlainJson } from "../../../base/text/json_comments.ts";
import { parseYaml } from "../../../runtime/config/files/yaml_document.ts";
import { splitFrontMatter } from "../../../runtime/config/files/front_matter.ts";
import type { ForeignFile } from "./shape.ts";

const MAX_YAML_CHARACTERS = 64 * 1_024;

/** Matches comments and blank lines, and a line that opens a code block, before the front matter. */
const BEFORE = /^\uFEFF?(?:\s|<!--[\s\S]*?-->)*(?:```[a-z]*[ \t]*\r?\n)?(?=---)/;

/** Parses a file into its fields and its text. A broken file of data has no fields. */
export function parseFile(path: string, text: string): ForeignFile {
  const [, format] = /\.(json|ya?ml|toml)$/.exec(path) ?? [];
  if (format === undefined) return { path, text, ...readMarkdown(text) };
  try {
    const value: unknown = format === "json"
      ? JSON.parse(toPlainJson(text))
      : format === "toml"
      ? JSON.parse(JSON.stringify(parseToml(text)))
      : readYaml(text);
    return { path, text, fields: isJsonObject(value) ? value : undefined, body: "" };
  } catch {
    return { path, text, fields: undefined, body: "" }; // It is reported as no file of another tool.
  }
}

/** Splits a Markdown file. Front matter that is no valid YAML is read line by line. */
export function readMarkdown(text: string): Pick<ForeignFile, "fields" | "body"> {
  const [before = ""] = BEFORE.exec(text) ?? [];
  const parts = splitFrontMatter(text.slice(before.length));
  if (parts === "unterminated" || parts.yaml === null) return { fields: undefined, body: text };
  const { yaml } = parts;
  const body = before.includes("```") ? parts.body.replace(/\r?\n```\s*$/, "\n") : parts.body;
  const isLong = yaml.length > MAX_YAML_CHARACTERS;
  return { fields: isLong ? {} : readYaml(yaml) ?? readLines(yaml), body };
}

/** Parses a YAML map. Returns undefined for an invalid text. */
function readYaml(text: string): JsonObject | undefined {
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
