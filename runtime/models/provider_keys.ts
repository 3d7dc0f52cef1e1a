// Which variables hold keys of model providers. Their values go to their provider and nowhere else.
import type { Agent } from "../agents/agent.ts";
import { NAMED_PROVIDERS } from "../config/providers.ts";
import { keyVariableOf } from "./endpoint.ts";

/** With the keys of the named providers, the key of the service itself: no agent may hold it either. */
const NAMED_KEYS: ReadonlySet<string> = new Set([
  ...NAMED_PROVIDERS.map(keyVariableOf),
  "INKLING_API_KEY",
]);

/** Whether a variable holds the key of a named provider, of one that any of these agents uses, or of the service. */
export function isProviderKey(name: string, agents: readonly Agent[]): boolean {
  return NAMED_KEYS.has(name) || agents.some(({ model }) =>
    model !== undefined &&
    (model.apiKeyEnv === name || keyVariableOf(model.provider) === name)
  );
}

/** The variables that agents name for their keys (`api_key_env`). Nothing else tells that these are secret. */
export function keyVariablesOf(agents: readonly Agent[]): string[] {
  return [...new Set(agents.flatMap(({ model }) => model?.apiKeyEnv ?? []))];
}
