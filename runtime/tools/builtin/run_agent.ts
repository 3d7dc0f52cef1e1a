// The tool run_agent: requests a run of another agent. The runtime starts that run and waits for its answer.
import { z } from "zod";
import type { Agent } from "../../agents/agent.ts";
import { defineDelegation } from "../definition/define_tool.ts";
import type { DelegationTool } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

const schema = z.object({
  agent_id: z.string().optional().describe("The id of the agent"),
  agent_name: z.string().optional().describe("The same as agent_id"),
  arguments: z.union([z.string(), z.array(z.string())]).optional()
    .describe("What it needs to know or do: it reads this with its task"),
});

/**
 * Creates the tool run_agent for one agent. The tool accepts only the agents in the caller's `agents` setting, never the
 * caller. It does not check that the other agent exists and is enabled: the runtime does when it starts the run.
 */
export function createRunAgent(caller: Agent): DelegationTool {
  const callable = caller.agents.filter((id) => id !== caller.id);
  return defineDelegation({
    name: "run_agent",
    description:
      "Let another agent do a task and read its answer. The result is JSON with status, output, " +
      `execution_id, duration_ms, total_tokens and cost_usd. Agents: ${callable.join(", ")}.`,
    schema,
    delegation(args) {
      const id = (args.agent_id ?? args.agent_name)?.normalize("NFC");
      if (id === undefined) throw new ToolFailure('"agent_id" is missing: name the agent to run');
      if (id === caller.id) throw new ToolFailure("An agent cannot run itself");
      if (!callable.includes(id)) {
        throw new ToolFailure(
          `Agent "${id}" cannot be run from here. Agents: ${callable.join(", ")}`,
        );
      }
      const { arguments: given = [] } = args;
      return { agentId: id, args: typeof given === "string" ? [given] : given };
    },
  });
}
