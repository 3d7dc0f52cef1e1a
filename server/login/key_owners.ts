// Finds the owners of API keys.
import type { FindKey } from "../middleware/api_key.ts";
import { createSecretMatch } from "./secret_text.ts";

/** Returns the function that finds only the key of the whole service. */
export function singleKey(apiKey: string): FindKey {
  const isKey = createSecretMatch(apiKey);
  return (key) => Promise.resolve(isKey(key) ? { via: "api", isSingleKey: true } : undefined);
}
