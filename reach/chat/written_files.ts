// Finds the files that an answer names, among the files that its run has written itself.
import type { LogRow } from "../../api/schemas/execution_schemas.ts";
import { callsOf, parseObject, textOf } from "../../present/payload.ts";
import { findBuiltinTool } from "../../runtime/vocabulary/builtin_tools.ts";

/** The maximum number of files of one answer. */
const MOST_FILES = 10;

/** Returns the paths, as the agent wrote them, of the files that a run has written and its answer names. */
export function writtenFilesIn(answer: string, rows: readonly LogRow[]): string[] {
  const called = new Map<string, string>();
  const written = new Set<string>();
  for (const { event_type: type, metadata } of rows) {
    const fields = parseObject(metadata ?? "{}") ?? {};
    if (type === "tool_call") {
      for (const { id, name, args } of callsOf(fields)) {
        // The files that shell commands and custom tools write are not known.
        const argument = findBuiltinTool(name)?.writtenPath;
        called.set(id, argument ? textOf(parseObject(args) ?? {}, argument) : "");
      }
    } else if (type === "tool_result" && fields["is_error"] !== true) {
      written.add(called.get(textOf(fields, "tool_call_id"))?.replace(/^\.\//, "") ?? "");
    }
  }
  return [...written].filter((path) => path !== "" && isNamed(path, answer)).slice(0, MOST_FILES);
}

/** Returns true if a text contains a path that is not a part of a longer path. */
function isNamed(path: string, text: string): boolean {
  return new RegExp(`(?<![\\w/.-]|\\w\\})(?:\\./)?${RegExp.escape(path)}(?![\\w/-]|\\.\\w)`, "u")
    .test(text);
}
