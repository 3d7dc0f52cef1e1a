// The only access to the adapters. It requires a purse, so that every call of a model is paid.
import type { Clock } from "../../base/clock.ts";
import type { Model } from "./model.ts";
import { type ModelReach, openAdapter } from "./providers/adapters.ts";
import { type Purse, withPurse } from "./spending.ts";

export type { ModelReach } from "./providers/adapters.ts";

/** Opens a connection's adapter. Returns a function that makes a model for a purse. Throws ModelError as openAdapter does. */
export async function openPaidModel(
  reach: ModelReach,
  clock: Clock,
): Promise<(purse: Purse) => Model> {
  const adapter = await openAdapter(reach, clock);
  return (purse) => withPurse(adapter, purse);
}
