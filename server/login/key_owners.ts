// Finds the owners of API keys: the key of the whole service, and named keys.
import type { NamedKeys } from "../../runtime/people/named_keys.ts";
import type { FindKey } from "../middleware/api_key.ts";
import { createSecretMatch } from "./secret_text.ts";

/** Returns the function that finds the owner of the service's single key or of a named key. */
export function createFindKey(
  apiKey: string,
  { keys }: { keys: () => Promise<Pick<NamedKeys, "find">> },
): FindKey {
  const isSingleKey = createSecretMatch(apiKey);
  return async (key) =>
    isSingleKey(key) ? { via: "api", isSingleKey: true } : await (await keys()).find(key);
}
