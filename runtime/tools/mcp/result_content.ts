// Converts the result of a server's tool to text for the model.
import { Buffer } from "node:buffer";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { isDeeperThan, isJsonObject } from "../../../base/json.ts";
import { toPlainLine } from "../../../base/text/plain_text.ts";
import type { ToolContext } from "../definition/tool.ts";
import { isBinary } from "../../../base/text/text_content.ts";

const LINE_CHARACTERS = 300;
/** Deeper content could not be serialized. */
const MAX_DEPTH = 500;
const TEXT_TYPE = /^(text\/|application\/(json|xml|yaml|javascript|[\w.-]+\+(json|xml))\b)/i;

/**
 * Returns the texts of a result, one per line, and a line in place of each other block. By the protocol the texts repeat
 * the structured content, so that is used only without text, and without its images and sounds that are listed as blocks.
 */
export function toResultText(
  { content, structuredContent }: CallToolResult,
  shown: ReadonlyMap<string, string> = new Map(),
): string {
  const lines = content.map((block) => toText(block, shown));
  if (structuredContent === undefined || content.some(({ type }) => type === "text")) {
    return lines.join("\n");
  }
  const structured = toStructuredText(structuredContent, new Set(content.flatMap(dataOf)));
  return (structured === "{}" && lines.length > 0 ? lines : [...lines, structured]).join("\n");
}

/** Shows the pictures and PDF files of a result to the model. Returns the text that refers to each, by its data. */
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

/** Returns structured content as JSON, without the media in `shown` and the objects around them. */
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

/** Returns one line in brackets, without the missing facts. */
function describe(kind: string, ...facts: (string | undefined)[]): string {
  const known = facts.filter((one) => one !== undefined && one !== "");
  return `[${toPlainLine(`${kind} ${known.join(", ")}`, LINE_CHARACTERS)}]`;
}

type Resource = Extract<ContentBlock, { type: "resource" }>["resource"];

/** Returns the text of a resource, also if it was sent as bytes with a text type. */
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
