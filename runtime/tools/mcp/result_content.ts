// Converts the result of an MCP tool to text for the model.
import { Buffer } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { isDeeperThan, isJsonObject, isWholeJson } from "../../../base/json.ts";
import { toPlainLine } from "../../../base/text/plain_text.ts";
import type { ToolContext } from "../definition/tool.ts";
import { isBinary } from "../../../base/text/text_content.ts";

const LINE_CHARACTERS = 300;
/** The maximum nesting depth of structured content. Deeper content could not be serialized. */
const MAX_DEPTH = 500;
const TEXT_TYPE = /^(text\/|application\/(json|xml|yaml|javascript|[\w.-]+\+(json|xml))\b)/i;

/**
 * Returns the text blocks of a result, and a line for each other block. Structured content follows, unless the text blocks
 * repeat it. Its images and sounds that are also blocks are left out.
 */
export function toResultText(
  { content, structuredContent }: CallToolResult,
  shown: ReadonlyMap<string, string> = new Map(),
): string {
  const lines = content.map((block) => toText(block, shown));
  if (structuredContent === undefined) return lines.join("\n");
  const structured = toStructuredText(structuredContent, new Set(content.flatMap(dataOf)));
  const texts = content.flatMap((block) => block.type === "text" ? [block.text] : []);
  const isRepeated = texts.length > 0 && isRepeatedIn(texts, structured);
  const isLeftOut = isRepeated || structured === "{}" && lines.length > 0;
  return (isLeftOut ? lines : [...lines, structured]).join("\n");
}

/**
 * Returns true if the texts contain all values of a JSON text. By the protocol a text block repeats the whole structured
 * content; some servers write its values as sentences or one block for each item.
 */
function isRepeatedIn(texts: readonly string[], structured: string): boolean {
  if (!isWholeJson(structured)) return false;
  const value: unknown = JSON.parse(structured);
  if (texts.some((text) => isWholeJson(text) && isDeepStrictEqual(JSON.parse(text), value))) {
    return true;
  }
  const text = texts.join("\n");
  // The values are searched one after the other, so the time does not grow with their number.
  let at = 0;
  return leavesOf(value).every((leaf) => {
    for (const form of new Set([leaf, JSON.stringify(leaf).slice(1, -1)])) {
      const found = findWord(text, form, at);
      if (found < 0) continue;
      at = found + form.length;
      return true;
    }
    return false;
  });
}

/** Returns the position of a word from `from` on that is not a part of a longer word, or -1. */
function findWord(text: string, word: string, from: number): number {
  const isInWord = (at: number) => /[\p{L}\p{N}]/u.test(text.charAt(at));
  for (let at = text.indexOf(word, from); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isInWord(at - 1) && !isInWord(at + word.length) || word === "") return at;
  }
  return -1;
}

/** Returns the values of a JSON value as texts, in order. */
function leavesOf(value: unknown): string[] {
  if (value === null || typeof value !== "object") return [String(value)];
  return Object.values(value).flatMap(leavesOf);
}

/**
 * Shows the pictures and PDF files of a result to the model. Returns a map from the Base64 data of each to the text that
 * represents it in the result.
 */
export async function showMedia(
  { content }: CallToolResult,
  show: ToolContext["show"],
): Promise<Map<string, string>> {
  const shown = new Map<string, string>();
  for (const data of show === undefined ? [] : new Set(content.flatMap(dataOf))) {
    const media = await show?.(Buffer.from(data, "base64"));
    if (media !== undefined) shown.set(data, media.text);
  }
  return shown;
}

/** Returns structured content as JSON. Leaves out the media in `shown`, with the objects that directly contain them. */
function toStructuredText(structured: unknown, shown: ReadonlySet<unknown>): string {
  if (isDeeperThan(structured, MAX_DEPTH)) {
    return `[structured content, nested over ${MAX_DEPTH} levels deep]`;
  }
  const isShown = (value: unknown) =>
    shown.has(value) ||
    isJsonObject(value) && ["data", "blob"].some((key) => shown.has(value[key]));
  return JSON.stringify(structured, (_key, value) => isShown(value) ? undefined : value);
}

function dataOf(block: ContentBlock): string[] {
  if (block.type === "image" || block.type === "audio") return [block.data];
  return block.type === "resource" && "blob" in block.resource ? [block.resource.blob] : [];
}

function toText(block: ContentBlock, shown: ReadonlyMap<string, string>): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return shown.get(block.data) ?? describe(block.type, block.mimeType, sizeOf(block.data));
    case "resource_link":
      return describe(
        "resource",
        JSON.stringify(block.title ?? block.name),
        block.uri,
        block.mimeType,
        block.size === undefined ? undefined : toSize(block.size),
        block.description,
      );
    case "resource": {
      const { resource } = block;
      const text = textOf(resource);
      if (text !== undefined) return `${describe("resource", resource.uri)}\n${text}`;
      const { blob = "" } = "blob" in resource ? resource : {};
      const size = "blob" in resource ? sizeOf(blob) : undefined;
      return shown.get(blob) ?? describe("resource", resource.uri, resource.mimeType, size);
    }
    default:
      return block satisfies never;
  }
}

/** Returns the facts as one line in brackets. Leaves out missing facts. */
function describe(kind: string, ...facts: (string | undefined)[]): string {
  const known = facts.filter((one) => one !== undefined && one !== "");
  return `[${toPlainLine(`${kind} ${known.join(", ")}`, LINE_CHARACTERS)}]`;
}

type Resource = Extract<ContentBlock, { type: "resource" }>["resource"];

/**
 * Returns the text of a resource, also if it was sent as bytes with a text type. Returns undefined for a binary resource.
 */
function textOf(resource: Resource): string | undefined {
  if ("text" in resource) return resource.text;
  if (!TEXT_TYPE.test(resource.mimeType ?? "")) return undefined;
  const bytes = Buffer.from(resource.blob, "base64");
  return isBinary(bytes) ? undefined : new TextDecoder().decode(bytes);
}

function sizeOf(base64: string): string {
  return toSize(Math.floor(base64.replace(/=+$/, "").length * 3 / 4));
}

function toSize(bytes: number): string {
  return bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KB`;
}
