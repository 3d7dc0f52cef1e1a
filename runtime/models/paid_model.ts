// The one door to the adapters: whoever wants a model says out of which purse its calls are paid.
import type { Clock } from "../../base/clock.ts";
import type { Model } from "./model.ts";
import { type ModelReach, openAdapter } from "./providers/adapters.ts";
import { type Purse, withPurse } from "./spending.ts";

export type { ModelReach } from "./providers/adapters.ts";

/** Makes the model at the end of a reach, for a purse. Throws ModelError as openAdapter does. */
export async function openPaidModel(
  reach: ModelReach,
  clock: Clock,
): Promise<(purse: Purse) => Model> {
  const adapter = await openAdapter(reach, clock);
  return (purse) => withPurse(adapter, purse);
}
