// Inspects the variables that an agent's file passes to commands of the shell.
import type { Agent } from "../../runtime/agents/agent.ts";
import type { ResourceProblem } from "../../runtime/agents/resource_problem.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import { ProviderKeys } from "../../runtime/models/provider_keys.ts";

/** Returns a warning for each variable in `shell.env` that commands will not get. */
export function inspectShellVariables(
  agent: Agent,
  { environment }: Pick<WorkspaceSettings, "environment">,
): ResourceProblem[] {
  const agents = [agent];
  const keys = new ProviderKeys(() => agents);
  return (agent.shell?.env ?? []).flatMap((variable): ResourceProblem[] => {
    const problem = keys.has(variable)
      ? "is the key of a model or a trigger, which no command gets"
      : environment.get(variable) === undefined
      ? "is not set"
      : undefined;
    if (problem === undefined) return [];
    const message = `The variable ${variable} in shell.env ${problem}`;
    return [{ field: "shell", severity: "warning", message }];
  });
}
