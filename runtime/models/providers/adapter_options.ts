// What every adapter that calls a provider is made with.
import type { Clock } from "../../../base/clock.ts";
import type { ProviderContext } from "../provider_failure.ts";

/** How to reach one model. */
export interface AdapterOptions {
  /** `provider/name`. */
  id: string;
  /** The model as the provider names it. */
  name: string;
  /** In the form of the adapter's own default. Absent: that default, whatever variables the shell holds. */
  baseUrl?: string;
  /** Absent: the calls carry no key. */
  apiKey?: string;
  /** The tokens of the model's context window, where a person said so. */
  contextWindow?: number;
  /** Reads a date in Retry-After. */
  clock: Clock;
}

/** What failures of these calls are described with. `defaultUrl` is where the provider itself listens. */
export function toProviderContext(options: AdapterOptions, defaultUrl: string): ProviderContext {
  const { id, baseUrl = defaultUrl, apiKey, clock } = options;
  return {
    provider: id.split("/", 1)[0] ?? id,
    baseUrl,
    apiKey,
    now: () => clock.now(),
  };
}
