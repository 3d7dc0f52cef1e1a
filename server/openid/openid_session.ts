// The session of a person who signed in with OpenID Connect. It ends when the provider no longer confirms the person.
import { HOUR_MS, MINUTE_MS } from "../../base/time_units.ts";
import type { Caller } from "../../runtime/vocabulary/callers.ts";
import {
  classifyFailure,
  type Grant,
  type Identity,
  type OpenIdProvider,
} from "./openid_provider.ts";

/** The milliseconds after which the next use of a session checks the person's groups. */
const CHECK_MS = 5 * MINUTE_MS;
/** The milliseconds without an answer of the provider after which a session ends. */
const UNCHECKED_MS = HOUR_MS;

/**
 * Starts the session of a signed-in person. Returns the function that returns the person with the role of now, or undefined
 * after the access has ended.
 */
export function openSession(
  first: Grant,
  { provider, now, toCaller }: {
    provider: OpenIdProvider;
    now: () => number;
    toCaller: (identity: Identity) => Caller | undefined;
  },
): () => Promise<Caller | undefined> {
  let grant: Grant | undefined = first;
  /** The time of the last answer of the provider, and that of the last request. */
  let confirmedAt = now();
  let checkedAt = confirmedAt;
  let checking: Promise<void> | undefined;
  const renew = async (known: Grant, at: number) => {
    try {
      grant = await provider.renew(known);
      confirmedAt = at;
    } catch (error) {
      const isRefused = classifyFailure(error) !== "unreachable";
      if (isRefused || at - confirmedAt >= UNCHECKED_MS) grant = undefined;
    }
    checkedAt = at;
  };
  return async () => {
    const at = now();
    if (grant !== undefined && at - checkedAt >= CHECK_MS) {
      checking ??= renew(grant, at).finally(() => checking = undefined);
      await checking;
    }
    return grant && toCaller(grant.identity);
  };
}
