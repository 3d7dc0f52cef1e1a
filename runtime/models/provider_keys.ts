// Determines the environment variables with keys of model providers and secrets of webhooks. Their values are only sent to
// their provider or used to verify deliveries.
import { type Agent, secretVariables } from "../agents/agent.ts";
import { modelChain, NAMED_PROVIDERS } from "../config/providers.ts";
import { keyVariableOf } from "./endpoint.ts";

/** The variables with keys of the built-in providers and of the service itself. No agent may read them. */
const NAMED_KEYS: readonly string[] = [
  ...NAMED_PROVIDERS.map(keyVariableOf),
  "INKLING_API_KEY",
];

/**
 * The variables with keys, for the present agents. They are calculated once for each list that `agents` returns, because
 * every redaction uses them and there may be thousands of agents.
 */
export class ProviderKeys {
  readonly #agents: () => readonly Agent[];
  #found: ReturnType<typeof findVariables> | undefined;

  constructor(agents: () => readonly Agent[]) {
    this.#agents = agents;
  }

  /**
   * Returns true if a variable contains a key of a built-in provider, of an agent's provider or of the service, or a secret
   * of a webhook.
   */
  has(name: string): boolean {
    return this.all.has(name);
  }

  /** The names of all variables for which has() returns true: the same set until the agents change. */
  get all(): ReadonlySet<string> {
    return this.#variables().all;
  }

  /**
   * Returns the names of the variables that agents declare as `api_key_env` or `trigger.secret`. Such a name may look like
   * that of an ordinary variable.
   */
  namedByAgents(): readonly string[] {
    return this.#variables().named;
  }

  #variables(): ReturnType<typeof findVariables> {
    const agents = this.#agents();
    if (this.#found?.of !== agents) this.#found = findVariables(agents);
    return this.#found;
  }
}

/** Returns the key variables that a list of agents uses. */
function findVariables(agents: readonly Agent[]) {
  const models = agents.flatMap(({ model }) => modelChain(model));
  const named = new Set([
    ...models.flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []),
    ...agents.flatMap(({ trigger }) => secretVariables(trigger)),
  ]);
  const derived = models.map(({ provider }) => keyVariableOf(provider));
  return { of: agents, all: new Set([...NAMED_KEYS, ...named, ...derived]), named: [...named] };
}
