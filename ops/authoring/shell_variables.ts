// Inspects the variables that an agent's file passes to commands of the shell.
import type { Agent } from "../../runtime/agents/agent.ts";
import type { ResourceProblem } from "../../runtime/agents/resource_problem.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import { ProviderKeys } from "../../runtime/models/provider_keys.ts";

/**
 * Returns an error for each variable in `shell.env` with a key, which no command gets, and a warning for each unset one.
 */
export function inspectShellVariables(
  agent: Agent,
  { environment }: Pick<WorkspaceSettings, "environment">,
): ResourceProblem[] {
  const agents = [agent];
  const keys = new ProviderKeys(() => agents);
  return (agent.shell?.env ?? []).flatMap((variable): ResourceProblem[] => {
    const message = (problem: string) => `The variable ${variable} in shell.env ${problem}`;
    if (keys.has(variable)) {
      return [{
        field: "shell",
        severity: "error",
        message: message(
          "has a key of a provider, a trigger or the service, which no command gets",
        ),
        hint: "remove it, or give commands a variable with a key of their own",
      }];
    }
    const isSet = environment.get(variable) !== undefined;
    return isSet ? [] : [{ field: "shell", severity: "warning", message: message("is not set") }];
  });
}
