// What a call that waits for a person would do to a file, as that file is at the moment of asking. The tools tell it
// themselves, within the sandbox of the agent that asks: what that may not read is not shown.
import type { Agent } from "../agents/agent.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import type { HumanRequest } from "../executions/human_request.ts";
import { previewChange, toProblem } from "../executions/loop/preview_change.ts";
import type { RunCause } from "../run_cause.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { fileDelete } from "../tools/builtin/file_delete.ts";
import { fileEdit } from "../tools/builtin/file_edit.ts";
import { fileMove } from "../tools/builtin/file_move.ts";
import { fileWrite } from "../tools/builtin/file_write.ts";
import type { CallPreview } from "../executions/record/call_preview.ts";
import { ToolFailure } from "../tools/failures/tool_failure.ts";
import { openAgentSandbox } from "./agent_sandbox.ts";

/** The tools that tell what they would do; no other has one of their names. */
const PREVIEWED = [fileWrite, fileEdit, fileDelete, fileMove];

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
    const change = await previewChange(tool, tool.check(toolArgs), { sandbox, redactor });
    return change?.preview ?? null;
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return redactor.redactValue(toProblem(path, error.message));
  }
}
