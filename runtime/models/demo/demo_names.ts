// The names of the demo models: see demo.ts, which is loaded when one of them is used.

/** Every demo model. */
export const DEMO_MODEL_NAMES = ["report", "script", "echo"] as const;

/** The models of a provider that has no others; undefined where any name may be one. */
export function modelsOf(provider: string): readonly string[] | undefined {
  return provider === "demo" ? DEMO_MODEL_NAMES : undefined;
}
