// The environment variables with keys of model providers and secrets of webhooks. Their values are only sent to their
// provider or used to verify deliveries.
import { type Agent, secretVariables } from "../agents/agent.ts";
import { modelChain, NAMED_PROVIDERS } from "../config/providers.ts";
import { keyVariableOf } from "./endpoint.ts";

/** The keys of the named providers and of the service itself. No agent may read them. */
const NAMED_KEYS: readonly string[] = [
  ...NAMED_PROVIDERS.map(keyVariableOf),
  "INKLING_API_KEY",
];

/** The key variables of a list of agents. */
interface KeyVariables {
  of: readonly Agent[];
  all: ReadonlySet<string>;
  named: readonly string[];
}

/**
 * The variables with keys, for the current agents. Computed once for each list that `agents` returns, because every redaction
 * uses it and there may be thousands of agents.
 */
export class ProviderKeys {
  readonly #agents: () => readonly Agent[];
  #found: KeyVariables | undefined;

  constructor(agents: () => readonly Agent[]) {
    this.#agents = agents;
  }

  /** Reports if a variable holds a key of a named provider, of an agent's provider, of the service, or a secret of a webhook. */
  has(name: string): boolean {
    return this.#variables().all.has(name);
  }

  /** Returns the variables that agents name (`api_key_env`, `trigger.secret`). Their names alone do not mark them as secret. */
  namedByAgents(): readonly string[] {
    return this.#variables().named;
  }

  #variables(): KeyVariables {
    const agents = this.#agents();
    if (this.#found?.of !== agents) this.#found = findVariables(agents);
    return this.#found;
  }
}

function findVariables(agents: readonly Agent[]): KeyVariables {
  const models = agents.flatMap(({ model }) => modelChain(model));
  const named = new Set([
    ...models.flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []),
    ...agents.flatMap(({ trigger }) => secretVariables(trigger)),
  ]);
  const derived = models.map(({ provider }) => keyVariableOf(provider));
  return { of: agents, all: new Set([...NAMED_KEYS, ...named, ...derived]), named: [...named] };
}
