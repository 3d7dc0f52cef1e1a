// Finds the owners of API keys: the key of the whole service, and named keys.
import type { NamedKeys } from "../../runtime/people/named_keys.ts";
import { type Person, toPersonCaller } from "../../runtime/vocabulary/persons.ts";
import type { FindKey } from "../middleware/api_key.ts";
import { createSecretMatch } from "./secret_text.ts";

/** Returns the function that finds the owner of the service's single key or of a named key. */
export function createFindKey(
  apiKey: string,
  runtime: { keys: () => Promise<Pick<NamedKeys, "find">>; config: { people: readonly Person[] } },
): FindKey {
  const isSingleKey = createSecretMatch(apiKey);
  return async (key) => {
    if (isSingleKey(key)) return { via: "api", isSingleKey: true };
    const owner = await (await runtime.keys()).find(key);
    // Read the people at each request, because config.yaml may change.
    return owner && toPersonCaller(runtime.config.people, owner, { key: owner.key });
  };
}
