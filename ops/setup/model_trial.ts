// Tests a model with one short call and a key that is in no file yet.
import type { ModelSettings } from "../../runtime/agents/agent.ts";
import { withinTime } from "../../base/bounded_wait.ts";
import type { Environment } from "../../runtime/config/files/environment.ts";
import { modelEndpoint } from "../../runtime/models/endpoint.ts";
import { type ModelSources, resolveModel } from "../../runtime/models/calls/resolve.ts";
import type { CallBilling } from "../../runtime/models/calls/spending.ts";
import { ReplyTimeout, withRetry } from "../../runtime/models/calls/retry.ts";

const TRIAL_MS = 60_000;
/** The maximum tokens of the reply. The reply is one word, but models that reason need more tokens. */
const MAX_TOKENS = 1_024;

/** The options of a trial: the model's key, a signal that ends the trial, and the options of the call. */
export interface ModelTrialOptions extends Omit<ModelSources, "log"> {
  billing: Omit<CallBilling, "model">;
  /** The key that replaces the value of the model's variable. Undefined for the stored key. */
  apiKey: string | undefined;
  signal: AbortSignal;
}

/**
 * Asks the model for one word. Resolves if the model replies. Throws ModelError with the provider's text and without the
 * key, BudgetExceeded if the workspace's budget is used up, and ReplyTimeout after a minute. Rethrows the signal's reason.
 */
export async function tryModel(settings: ModelSettings, options: ModelTrialOptions): Promise<void> {
  const { clock, apiKey, billing, signal: caller, settings: { environment: stored } } = options;
  const { keyVariable } = modelEndpoint(settings);
  const environment: Environment = {
    get: (name) => name === keyVariable && apiKey !== undefined ? apiKey : stored.get(name),
    secrets: (names) => stored.secrets(names),
  };
  const log = { write: () => {} };
  // The call is not retried, because a person waits for the result.
  const sources = { settings: { ...options.settings, environment }, clock, log };
  const model = withRetry(await resolveModel(settings, sources, billing), {
    clock,
    timeoutMs: TRIAL_MS,
    log,
    isOnce: true,
  });
  const reason = new ReplyTimeout(TRIAL_MS);
  await withinTime({ clock, ms: TRIAL_MS, reason, signal: caller }, async (signal) => {
    const reply = model.generate({
      messages: [{ role: "user", content: "Answer with the one word: ready" }],
      tools: [],
      temperature: undefined,
      maxTokens: MAX_TOKENS,
    }, { signal });
    while (!(await reply.next()).done) { /* Any answer counts. */ }
  });
}
