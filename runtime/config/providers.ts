// The names of model providers that stand for an address. How they are talked to is the models' business.

/** Providers that need no `base_url`. Any other name is an OpenAI-compatible endpoint and needs one. */
export const NAMED_PROVIDERS = [
  "openai",
  "anthropic",
  "google",
  "ollama",
  "local",
  "demo",
] as const;

/** One of NAMED_PROVIDERS. */
export type NamedProvider = typeof NAMED_PROVIDERS[number];

/** Whether a provider needs no `base_url`. */
export function isNamedProvider(provider: string): provider is NamedProvider {
  return (NAMED_PROVIDERS as readonly string[]).includes(provider);
}
