// Which variables hold keys of model providers, and secrets of webhooks. Their values go to their provider, or are held
// against deliveries; they go nowhere else.
import { type Agent, secretVariables } from "../agents/agent.ts";
import { modelChain, NAMED_PROVIDERS } from "../config/providers.ts";
import { keyVariableOf } from "./endpoint.ts";

/** With the keys of the named providers, the key of the service itself: no agent may hold it either. */
const NAMED_KEYS: readonly string[] = [
  ...NAMED_PROVIDERS.map(keyVariableOf),
  "INKLING_API_KEY",
];

/** The variables of some agents that hold keys. */
interface KeyVariables {
  of: readonly Agent[];
  all: ReadonlySet<string>;
  named: readonly string[];
}

/**
 * The variables with keys, as the agents stand. Found once for each list that `agents` gives: every redaction asks, and
 * there may be thousands of agents.
 */
export class ProviderKeys {
  readonly #agents: () => readonly Agent[];
  #found: KeyVariables | undefined;

  constructor(agents: () => readonly Agent[]) {
    this.#agents = agents;
  }

  /** Whether a variable holds the key of a named provider, of one that any of the agents uses, of the service, or of a webhook. */
  has(name: string): boolean {
    return this.#variables().all.has(name);
  }

  /** The variables that agents name (`api_key_env`, `trigger.secret`). Nothing else tells that these are secret. */
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
