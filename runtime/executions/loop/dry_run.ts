// Implements dry runs: the model and its reads are real. A call that changes something or needs approval gets a description
// as its result. No person is asked, and the tool does not run. A trial describes only the calls that change memory.
import { untilAborted, withinTime } from "../../../base/bounded_wait.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { CallPreview } from "../record/call_preview.ts";
import { PreviewUnavailable } from "../../tools/files/preview_text.ts";
import type { ActionTool, DelegationTool } from "../../tools/definition/tool.ts";
import { ToolFailure } from "../../tools/failures/tool_failure.ts";
import type { Run } from "./run.ts";
import { type CallResult, toFailedResult } from "./perform_call.ts";
import { previewChange, toProblem } from "./preview_change.ts";

/** A tool whose calls a dry run can describe. */
export type DescribedTool = ActionTool | DelegationTool;

/** The maximum length of the arguments in a description. */
const ARGUMENTS_CHARACTERS = 300;
/** The time limit of a file preview, in milliseconds. */
const LOOK_MS = 30_000;

/**
 * Returns the description of a call as the call's result, or the failure that the call would have. Rejects with the
 * signal's reason.
 */
export async function describeCall(
  run: Run,
  { tool, args }: { tool: DescribedTool; args: JsonObject },
): Promise<CallResult> {
  try {
    const { summary, preview } = await look(run, tool, args) ?? toCall(run, tool, args);
    return {
      content:
        `Would ${summary}; not done: this is a ${
          run.execution.isDryRun ? "dry run" : "trial"
        }. What you read stays as it was. ` +
        "Go on as if it had been done.",
      isError: false,
      effect: "read",
      described: [{
        executionId: run.execution.id,
        agentId: run.agent.id,
        toolName: tool.name,
        summary,
        preview,
      }],
    };
  } catch (error) {
    run.signal.throwIfAborted();
    if (error instanceof ToolFailure) return toFailedResult(error, "read");
    throw error;
  }
}

interface Description {
  summary: string;
  preview: CallPreview | null;
}

/** Describes the change that a file tool's call would make. Returns undefined for other tools. */
async function look(
  run: Run,
  tool: DescribedTool,
  args: JsonObject,
): Promise<Description | undefined> {
  if (tool.delegation !== undefined || tool.preview === undefined) return undefined;
  const limit = {
    clock: run.clock,
    ms: LOOK_MS,
    reason: new ToolFailure(`${tool.name} took longer than ${LOOK_MS / 1_000} s`),
    signal: run.signal,
  };
  try {
    return await withinTime(
      limit,
      (signal) => untilAborted(previewChange(tool, args, run), signal),
    );
  } catch (error) {
    if (!(error instanceof PreviewUnavailable)) throw error;
    const path = String(args["path"] ?? args["source"] ?? args["save_to"] ?? "");
    const preview = run.redactor.redactValue(toProblem(path, error.message));
    return { ...toCall(run, tool, args), preview };
  }
}

function toCall({ redactor }: Run, { name }: DescribedTool, args: JsonObject): Description {
  const whole = redactor.redact(JSON.stringify(args));
  const shown = redactor.beginningOf(whole, ARGUMENTS_CHARACTERS);
  return { summary: `call ${name} ${shown}${shown === whole ? "" : "…"}`, preview: null };
}
