// The names of the demo models: see demo.ts, which is loaded when one of them is used.

/** Every demo model. */
export const DEMO_MODEL_NAMES = ["report", "script", "echo"] as const;
