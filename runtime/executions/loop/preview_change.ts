// Creates previews of file changes for people: a summary, and a redacted diff of limited length.
import { unifiedDiff } from "../../../base/text/unified_diff.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { CallPreview } from "../record/call_preview.ts";
import { MAX_SHOWN_BYTES, previewTooBig } from "../../tools/files/preview_text.ts";
import type { PathSandbox } from "../../tools/files/path_sandbox.ts";
import type { ActionTool, FileChange, FileRenaming } from "../../tools/definition/tool.ts";

const MOST_BYTES = 64 * 1024;

/** Returns the summary and the preview of a file tool's call. Throws ToolFailure as the tool's preview() does. */
export async function previewChange(
  tool: Pick<ActionTool, "preview">,
  args: JsonObject,
  { sandbox, redactor }: { sandbox: PathSandbox; redactor: Redactor },
): Promise<{ summary: string; preview: CallPreview } | undefined> {
  const change = await tool.preview?.(args, { sandbox });
  if (change === undefined) return undefined;
  const preview = bounded(redactor.redactValue(await toPreview(change)));
  return { summary: redactor.redact(summaryOf(change, preview)), preview };
}

/** Returns the preview of a change that cannot be shown. */
export function toProblem(path: string, problem: string): CallPreview {
  return { path, diff: "", added: 0, removed: 0, isNewFile: false, problem };
}

async function toPreview(change: FileChange | FileRenaming): Promise<CallPreview> {
  if ("destination" in change) {
    const { path, destination } = change;
    const diff = `rename from ${inLine(path)}\nrename to ${inLine(destination)}\n`;
    return { path, diff, added: 0, removed: 0, isNewFile: false, problem: null };
  }
  const { path, before, after } = change;
  if (Math.max(before?.length ?? 0, after?.length ?? 0) > MAX_SHOWN_BYTES) {
    throw previewTooBig(path);
  }
  const isNewFile = before === null;
  return { path, ...await unifiedDiff(before ?? "", after ?? ""), isNewFile, problem: null };
}

function summaryOf(change: FileChange | FileRenaming, preview: CallPreview): string {
  if ("destination" in change) {
    return `move ${inLine(change.path)} to ${inLine(change.destination)}`;
  }
  const { added, removed, isNewFile } = preview;
  const lines = [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`-${removed}`] : [])];
  const counts = [
    ...(isNewFile ? ["new file"] : []),
    ...(lines.length > 0 ? [lines.join(" ")] : isNewFile ? [] : ["no change"]),
  ].join(", ");
  return `${change.after === null ? "delete" : "write"} ${inLine(change.path)} (${counts})`;
}

/** Escapes control characters in a path, so that the path cannot look like several lines. */
function inLine(path: string): string {
  return /\p{Cc}/u.test(path) ? JSON.stringify(path) : path;
}

/** Cuts a preview to the maximum length. A redacted preview may be cut anywhere. */
function bounded(preview: CallPreview): CallPreview {
  const { diff } = preview;
  const { read } = new TextEncoder().encodeInto(diff, new Uint8Array(MOST_BYTES));
  if (read === diff.length) return preview;
  const whole = diff.slice(0, read);
  // Cut after a whole line, or within a line that is longer than half of the limit.
  const end = whole.lastIndexOf("\n") + 1;
  const kept = end > MOST_BYTES / 2 ? whole.slice(0, end) : `${whole}\n`;
  const note = `[cut here: the whole diff has ${diff.split("\n").length - 1} lines]`;
  return { ...preview, diff: `${kept}${note}\n` };
}
