// The tools of a test. File and memory tools run in the private workspace. Every other tool returns the case's result.
import type { JsonObject } from "../../base/json.ts";
import type { Agent } from "../../runtime/agents/agent.ts";
import { withRun } from "../../runtime/replay/played_tools.ts";
import type { AgentTools } from "../../runtime/tools/agent_tools.ts";
import type { ActionTool, Tool } from "../../runtime/tools/definition/tool.ts";
import { ToolFailure } from "../../runtime/tools/failures/tool_failure.ts";
import { Toolbox } from "../../runtime/tools/toolbox.ts";
import type { CaseScript, RunCall } from "./case_script.ts";

/** The names of the file tools' arguments that contain paths. */
export const PLACES: ReadonlySet<string> = new Set(["path", "source", "destination", "pattern"]);
/**
 * A time limit for each call. Its size does not matter: the clock of a scripted test does not advance by itself, so no call
 * times out.
 */
const NO_LIMIT_MS = 1;

/** Returns the scripted result of a call. Throws the scripted error as the failure that the model reads. */
export function scriptedResult(script: CaseScript, call: RunCall): string {
  const scripted = script.answerCall(call);
  if (scripted === undefined) {
    script.stopAtGap(`${call.name} is called, and the case has no result for that call`);
  }
  const { result, error } = scripted;
  if (error !== undefined) throw new ToolFailure(error);
  return result ?? "";
}

/** Returns the tools of a test. `argument` maps an absolute path to its path in the private workspace. */
export function toTestTools(
  tools: AgentTools,
  { agent, script, argument }: {
    agent: Agent;
    script: CaseScript;
    argument: (path: string) => string;
  },
): AgentTools {
  const { toolbox } = tools;
  const known = new Set(toolbox.names());
  const isOther = (name: string) => agent.customTools.includes(name) || agent.mcp.length > 0;
  // Custom tools and tools of servers get a stand-in, because their programs, which declare them, are not started.
  const others = [...new Set([...agent.customTools, ...script.toolNames()])]
    .filter((name) => !known.has(name) && isOther(name));
  return {
    ...tools,
    toolbox: new Toolbox([
      ...[...known].flatMap((name) => toolbox.get(name) ?? [])
        .map((tool) => toTestTool(tool, { script, argument })),
      ...others.map((name) => standIn(name, script)),
    ]),
  };
}

function toTestTool(
  tool: Tool,
  { script, argument }: { script: CaseScript; argument: (path: string) => string },
): Tool {
  if (tool.question !== undefined || tool.delegation !== undefined) return tool;
  const { name, worksOn } = tool;
  return withRun(tool, async (args, context) => {
    const call = { id: context.toolCallId, name, args };
    // Commands are not run: they could change more than the private workspace.
    if (worksOn === undefined || name === "shell" || script.resultOf(call) !== undefined) {
      return scriptedResult(script, call);
    }
    script.markRun(call);
    return await tool.run(worksOn === "files" ? inside(args, argument) : args, context);
  });
}

function inside(args: JsonObject, argument: (path: string) => string): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      PLACES.has(name) && typeof value === "string" ? argument(value) : value,
    ]),
  );
}

function standIn(name: string, script: CaseScript): ActionTool {
  return {
    name,
    description: "",
    parameters: { type: "object" },
    check: (args) => args as JsonObject,
    timeoutMs: NO_LIMIT_MS,
    fixedEffect: "unsafe",
    effect: () => "unsafe",
    run: (args, { toolCallId }) =>
      Promise.resolve().then(() => scriptedResult(script, { id: toolCallId, name, args })),
  };
}
