// Creates the preview of a waiting call: the change that it would make to a file as the file is now. The tool reads the
// file in the sandbox of the asking agent, so a preview shows only files that this agent may read.
import type { Agent } from "../agents/agent.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import type { HumanRequest } from "../executions/human_request.ts";
import { previewChange, toProblem } from "../executions/loop/preview_change.ts";
import type { ExecutionRequest } from "../executions/execution_request.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { CallPreview } from "../executions/record/call_preview.ts";
import { ToolFailure } from "../tools/failures/tool_failure.ts";
import { FILE_CHANGERS } from "../tools/file_changers.ts";
import { openAgentSandbox } from "./agent_sandbox.ts";
import { EditorFolderUnusable, withEditorFolder } from "../tools/files/editor_folder.ts";

/**
 * Returns the preview of the call that a question is about. Null if the call's tool has no preview. `agent` is undefined if it
 * is gone or cannot be read.
 */
export async function previewCall(
  { toolName, toolArgs, isGuard }: HumanRequest,
  { agent, request: { cause, editorFolder } }: {
    agent: Agent | undefined;
    request: ExecutionRequest;
  },
  { settings, redactor }: { settings: WorkspaceSettings; redactor: Redactor },
): Promise<CallPreview | null> {
  const tool = Object.values(FILE_CHANGERS).find(({ name }) => name === toolName);
  if (tool === undefined || !isGuard) return null;
  const path = String(toolArgs["path"] ?? toolArgs["source"] ?? "");
  if (agent === undefined) {
    return redactor.redactValue(toProblem(path, "The agent that asks cannot be read."));
  }
  try {
    const own = withEditorFolder(agent, editorFolder, settings);
    const sandbox = openAgentSandbox(own, { ...(cause && { cause }) }, { settings });
    const change = await previewChange(tool, tool.check(toolArgs), { sandbox, redactor });
    return change?.preview ?? null;
  } catch (error) {
    const isRefusal = error instanceof ToolFailure || error instanceof EditorFolderUnusable;
    if (!isRefusal) throw error;
    return redactor.redactValue(toProblem(path, error.message));
  }
}
