// The names of the demo models. They are separate from demo.ts, which is loaded only when a demo model is used.

/** The names of all demo models. */
export const DEMO_MODEL_NAMES = ["report", "script", "echo"] as const;

/** Returns the model names of a provider with a fixed list; undefined if the provider accepts any name. */
export function modelsOf(provider: string): readonly string[] | undefined {
  return provider === "demo" ? DEMO_MODEL_NAMES : undefined;
}
