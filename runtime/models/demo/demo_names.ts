// The names of the demo models. demo.ts implements them and is loaded at their first use.

/** The names of all demo models. */
export const DEMO_MODEL_NAMES = ["report", "script", "echo"] as const;

/** Returns the models of a provider with a fixed list; undefined if the provider accepts any name. */
export function modelsOf(provider: string): readonly string[] | undefined {
  return provider === "demo" ? DEMO_MODEL_NAMES : undefined;
}
