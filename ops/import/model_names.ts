// Finds the provider and the name of a model from the names that other tools use.
import { isNamedProvider, NAMED_PROVIDERS, PROVIDERS } from "../../runtime/config/providers.ts";

/** The short names of models, each with the current model of that family. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map(
  NAMED_PROVIDERS.flatMap((name) => Object.entries(PROVIDERS[name].shortNames ?? {})),
);

/** Finds a model. Returns undefined for a name of no known family. */
export function findModel(written: string): { provider: string; name: string } | undefined {
  const text = written.trim().replace(/\s*\((?:copilot|preview|azure|openai)\)$/i, "");
  const slash = text.indexOf("/");
  if (slash > 0) {
    const first = text.slice(0, slash).toLowerCase();
    const provider = NAMED_PROVIDERS.find((one) => PROVIDERS[one].aliases?.includes(first)) ??
      first;
    const name = text.slice(slash + 1);
    // Routers and clouds put the name of the provider behind their own.
    return isNamedProvider(provider) && name !== "" ? { provider, name } : undefined;
  }
  const plain = text.toLowerCase().replace(/\s+/g, "-");
  const name = SHORT_NAMES.get(plain) ??
    (plain.startsWith("claude-") ? plain.replace(/\./g, "-") : plain);
  const provider = NAMED_PROVIDERS.find((one) => PROVIDERS[one].modelPattern?.test(name));
  return provider === undefined ? undefined : { provider, name };
}
