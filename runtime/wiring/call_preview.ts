// What a call that waits for a person would do to a file, as that file is at the moment of asking. The tools tell it
// themselves, within the sandbox of the agent that asks: what that may not read is not shown.
import type { Agent } from "../agents/agent.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import type { HumanRequest } from "../executions/human_request.ts";
import type { RunCause } from "../run_cause.ts";
import type { CallPreview } from "../runtime.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { unifiedDiff } from "../../base/text/unified_diff.ts";
import { fileDelete } from "../tools/builtin/file_delete.ts";
import { fileEdit } from "../tools/builtin/file_edit.ts";
import { fileMove } from "../tools/builtin/file_move.ts";
import { fileWrite } from "../tools/builtin/file_write.ts";
import { LARGEST_SHOWN_BYTES, tooBigToShow } from "../tools/files/shown_text.ts";
import type { FileChange, FileRenaming } from "../tools/tool.ts";
import { ToolFailure } from "../tools/tool_failure.ts";
import { openAgentSandbox } from "./agent_sandbox.ts";

/** The tools that tell what they would do; no other has one of their names. */
const PREVIEWED = [fileWrite, fileEdit, fileDelete, fileMove];

const MOST_BYTES = 64 * 1024;

/** Whose call it is; undefined where the agent is gone, or cannot be read. */
export interface PreviewSubject {
  agent: Agent | undefined;
  cause?: RunCause;
}

/** Null for a question that is not about a call of such a tool. */
export async function previewCall(
  { toolName, toolArgs, isGuard }: HumanRequest,
  { agent, cause }: PreviewSubject,
  { settings, redactor }: { settings: WorkspaceSettings; redactor: Redactor },
): Promise<CallPreview | null> {
  const tool = PREVIEWED.find(({ name }) => name === toolName);
  if (tool?.preview === undefined || !isGuard) return null;
  const path = String(toolArgs["path"] ?? toolArgs["source"] ?? "");
  if (agent === undefined) {
    return redactor.redactValue(toProblem(path, "The agent that asks cannot be read."));
  }
  const sandbox = openAgentSandbox(agent, { ...(cause && { cause }) }, { settings });
  try {
    const change = await tool.preview(tool.check(toolArgs), { sandbox });
    return bounded(redactor.redactValue(await toPreview(change)));
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return redactor.redactValue(toProblem(path, error.message));
  }
}

async function toPreview(change: FileChange | FileRenaming): Promise<CallPreview> {
  if ("destination" in change) {
    const { path, destination } = change;
    const diff = `rename from ${inLine(path)}\nrename to ${inLine(destination)}\n`;
    return { path, diff, added: 0, removed: 0, isNewFile: false, problem: null };
  }
  const { path, before, after } = change;
  if (Math.max(before?.length ?? 0, after?.length ?? 0) > LARGEST_SHOWN_BYTES) {
    throw tooBigToShow(path);
  }
  const isNewFile = before === null;
  return { path, ...await unifiedDiff(before ?? "", after ?? ""), isNewFile, problem: null };
}

/** No name may pass for a line of its own. */
function inLine(path: string): string {
  return /\p{Cc}/u.test(path) ? JSON.stringify(path) : path;
}

function toProblem(path: string, problem: string): CallPreview {
  return { path, diff: "", added: 0, removed: 0, isNewFile: false, problem };
}

/** Nothing secret is left in it: it may be cut anywhere. */
function bounded(preview: CallPreview): CallPreview {
  const { diff } = preview;
  const { read } = new TextEncoder().encodeInto(diff, new Uint8Array(MOST_BYTES));
  if (read === diff.length) return preview;
  const whole = diff.slice(0, read);
  // A single line may be longer than all that is shown.
  const end = whole.lastIndexOf("\n") + 1;
  const kept = end > MOST_BYTES / 2 ? whole.slice(0, end) : `${whole}\n`;
  const note = `[cut here: the whole diff has ${diff.split("\n").length - 1} lines]`;
  return { ...preview, diff: `${kept}${note}\n` };
}
