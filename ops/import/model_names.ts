// Finds the provider and the name of a model from the names that other tools use.
import { isNamedProvider } from "../../runtime/config/providers.ts";

/** The short names of models, each with the current model of that family. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map(Object.entries({
  sonnet: "claude-sonnet-5-5",
  opus: "claude-opus-5-5",
  haiku: "claude-haiku-4-5",
}));

/** The providers of models, by the beginning of the models' names. */
const FAMILIES: readonly [RegExp, string][] = [
  [/^claude-/, "anthropic"],
  [/^(?:gpt-|o\d|chatgpt-|codex)/, "openai"],
  [/^gemini-/, "google"],
];

/** The names of providers that other tools use for Inkling's providers. */
const PROVIDERS: ReadonlyMap<string, string> = new Map(Object.entries({
  gemini: "google",
  "google-ai": "google",
  vertex: "google",
  claude: "anthropic",
}));

/** Finds a model. Returns undefined for a name of no known family. */
export function findModel(written: string): { provider: string; name: string } | undefined {
  const text = written.trim().replace(/\s*\((?:copilot|preview|azure|openai)\)$/i, "");
  const slash = text.indexOf("/");
  if (slash > 0) {
    const first = text.slice(0, slash).toLowerCase();
    const provider = PROVIDERS.get(first) ?? first;
    const name = text.slice(slash + 1);
    // Routers and clouds put the name of the provider behind their own.
    return isNamedProvider(provider) && name !== "" ? { provider, name } : undefined;
  }
  const plain = text.toLowerCase().replace(/\s+/g, "-");
  const name = SHORT_NAMES.get(plain) ??
    (plain.startsWith("claude-") ? plain.replace(/\./g, "-") : plain);
  const provider = FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
  return provider === undefined ? undefined : { provider, name };
}
