// A model of each provider to begin with. Only a suggestion: a person sees it before it is written anywhere.
import type { NamedProvider } from "../config/providers.ts";

/** The name of an able model at a moderate price; empty where that depends on the machine. */
export const SUGGESTED_MODELS: Readonly<Record<NamedProvider, string>> = {
  openai: "gpt-6-sol",
  anthropic: "claude-sonnet-5-5",
  google: "gemini-3.5-flash",
  ollama: "qwen3",
  local: "",
  demo: "echo",
};
