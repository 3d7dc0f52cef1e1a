// Creates the tools of a play, which return recorded results. Their declarations are the current ones, or the recorded ones
// of tools for which a process would have to be started.
import type { AgentTools } from "../tools/agent_tools.ts";
import { compileArgumentsCheck } from "../tools/json_schema/arguments_check.ts";
import { QuestionRaised } from "../tools/definition/raised.ts";
import type { ActionTool, Tool } from "../tools/definition/tool.ts";
import { ToolFailure } from "../tools/failures/tool_failure.ts";
import { Toolbox } from "../tools/toolbox.ts";
import type { DeclaredTool } from "../executions/record/call_terms.ts";
import type { CassetteResult } from "./cassette.ts";
import type { Playback } from "./playback.ts";

/** The tool that loads skills. Their instructions are a part of the agent, so a play loads the current ones. */
const LOADS = "skill_use";
/** An arbitrary time limit: the clock of a play never reaches a limit. */
const NO_LIMIT_MS = 1;

/**
 * Returns the tools with recorded results. `recorded` are the tools that exist only in the recorded run. They replace
 * built-in tools of the same name.
 */
export async function toPlayedTools(
  tools: AgentTools,
  { recorded, playback }: { recorded: readonly DeclaredTool[]; playback: Playback },
): Promise<AgentTools> {
  const { toolbox } = tools;
  const todays = toolbox.names()
    .filter((name) => !recorded.some((one) => one.name === name))
    .flatMap((name) => toolbox.get(name) ?? []);
  const external = await Promise.all(recorded.map(toTool));
  return {
    ...tools,
    toolbox: new Toolbox([...todays, ...external].map((tool) => play(tool, playback))),
  };
}

async function toTool(declared: DeclaredTool): Promise<ActionTool> {
  const { check } = await compileArgumentsCheck(declared.name, declared.parameters);
  return {
    ...declared,
    check,
    timeoutMs: NO_LIMIT_MS,
    fixedEffect: "idempotent",
    effect: () => "idempotent",
    run: () => Promise.reject(new TypeError("It is only played")),
  };
}

/** Returns the tool with another implementation, without a preview and without a search for the outcome after a crash. */
export function withRun(tool: ActionTool, run: ActionTool["run"]): ActionTool {
  const { preview: _preview, findOutcome: _findOutcome, ...declared } = tool;
  return { ...declared, run };
}

/** Returns the tool with recorded results. Questions and delegations are played by the loop and stay unchanged. */
function play(tool: Tool, playback: Playback): Tool {
  if (tool.question !== undefined || tool.delegation !== undefined) return tool;
  return withRun(tool, async (args, context) => {
    const { toolCallId, answers } = context;
    const { script } = playback;
    const raised = script.questionsOf(toolCallId)[answers.length];
    if (raised !== undefined) throw new QuestionRaised(raised.request);
    // resultOf() returns undefined after a question. The result is then read from the script: in the log, it waited for an
    // earlier call's result.
    const result = await playback.resultOf(toolCallId) ?? script.resultOf(toolCallId);
    if (result === undefined) playback.stop({ kind: "end" });
    const isLoaded = tool.name === LOADS && !tool.replacesBuiltin &&
      script.replies > playback.copied && result.instructions !== undefined;
    return isLoaded ? await playback.work(() => tool.run(args, context)) : toResult(result);
  });
}

/** Returns the recorded result of a tool. Throws ToolFailure for a recorded failure. */
function toResult(
  { content, isError, instructions, media }: CassetteResult,
): ReturnType<ActionTool["run"]> extends Promise<infer Result> ? Result : never {
  if (isError) throw new ToolFailure(withoutPrefix(content));
  if (instructions === undefined && media === undefined) return content;
  return { content, ...(instructions !== undefined && { instructions }), ...(media && { media }) };
}

/** Returns the message of a failure without the prefix `Error: `. */
export function withoutPrefix(content: string): string {
  return content.replace(/^Error: /, "");
}
