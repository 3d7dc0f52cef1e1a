// Shows tool calls to an editor: their kind, the files, and the changes as texts before and after.
import type { ToolCallContent, ToolKind } from "@agentclientprotocol/sdk";
import type { PendingBody } from "../../api/schemas/request_schemas.ts";
import { parseObject, textOf, type ToolCall } from "../../present/payload.ts";
import { findBuiltinTool } from "../../runtime/vocabulary/builtin_tools.ts";
import { ownValue } from "../../base/json.ts";

/** The value of a path in the API that stands for the folder that is open in the editor. */
export const EDITOR_FOLDER = "editor";

/** Returns the folders by alias, with the editor's folder for each path that stands for it. */
export function withFolder(
  paths: Readonly<Record<string, string>>,
  folder: string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(paths).map(([alias, path]) => [alias, path === EDITOR_FOLDER ? folder : path]),
  );
}

/** Returns the fields of a tool call for an editor. `paths` are the agent's folders by alias. */
export function toToolCall(
  { id, name, args }: ToolCall,
  paths: Readonly<Record<string, string>>,
): {
  toolCallId: string;
  title: string;
  kind: ToolKind;
  rawInput: unknown;
  content: ToolCallContent[];
} {
  const input = parseObject(args) ?? {};
  const path = textOf(input, "path");
  const place = path === "" ? textOf(input, "command") || textOf(input, "url") : path;
  return {
    toolCallId: id,
    title: place === "" ? name : `${name} ${place}`,
    kind: findBuiltinTool(name)?.kind ?? "other",
    rawInput: input,
    content: toDiff(name, { input, path: toRealPath(path, paths) }),
  };
}

function toDiff(
  name: string,
  { input, path }: { input: Readonly<Record<string, unknown>>; path: string },
): ToolCallContent[] {
  if (name === "file_write") {
    return [{ type: "diff", path, oldText: null, newText: textOf(input, "content") }];
  }
  if (name !== "file_edit") return [];
  const [oldText, newText] = [textOf(input, "old_text"), textOf(input, "new_text")];
  return [{ type: "diff", path, oldText, newText }];
}

/** Returns the change of a question about a file as an editor shows it: the lines of its hunks before and after. */
export function toPreviewDiff(
  { preview }: Pick<PendingBody, "preview">,
  paths: Readonly<Record<string, string>>,
): ToolCallContent[] {
  if (preview === null || preview.diff === "") return [];
  const lines = preview.diff.split("\n").filter((line) => /^[ +-]/.test(line));
  const of = (sign: string) =>
    lines.filter((line) => line.startsWith(" ") || line.startsWith(sign)).map((line) =>
      line.slice(1)
    )
      .join("\n");
  return [{
    type: "diff",
    path: toRealPath(preview.path, paths),
    oldText: preview.is_new_file ? null : of("-"),
    newText: of("+"),
  }];
}

/** Returns the absolute path of a path as tools show it. */
function toRealPath(path: string, paths: Readonly<Record<string, string>>): string {
  const [, alias = "", rest = ""] = /^\{?([^/{}]+)\}?(\/.*)?$/.exec(path) ?? [];
  const folder = ownValue(paths, alias);
  if (folder !== undefined) return folder + rest;
  const { workspace } = paths;
  return workspace === undefined || path.startsWith("/") ? path : `${workspace}/${path}`;
}
