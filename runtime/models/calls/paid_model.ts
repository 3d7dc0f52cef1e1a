// The only access to the adapters. It requires a CallBilling, so that every call of a model is paid.
import type { Clock } from "../../../base/clock.ts";
import type { Model } from "../model.ts";
import { type ModelConnection, openAdapter } from "../providers/adapters.ts";
import { type CallBilling, withBilling } from "./spending.ts";

export type { ModelConnection } from "../providers/adapters.ts";

/** Opens a connection's adapter. Returns a function that creates a model with a CallBilling. Throws ModelError as openAdapter does. */
export async function openPaidModel(
  connection: ModelConnection,
  clock: Clock,
): Promise<(billing: CallBilling) => Model> {
  const adapter = await openAdapter(connection, clock);
  return (billing) => withBilling(adapter, billing);
}
