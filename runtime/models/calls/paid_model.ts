// Opens adapters. All other code opens models through this file, which requires a CallBilling, so that no call is unpaid.
import type { Model } from "../model.ts";
import { type ModelConnection, openAdapter } from "../providers/adapters.ts";
import { type CallBilling, withBilling } from "./spending.ts";

export type { ModelConnection } from "../providers/adapters.ts";

/**
 * Opens the adapter of a connection. Returns a function that creates a model from a CallBilling. Throws ModelError if the
 * connection is invalid.
 */
export async function openPaidModel(
  connection: ModelConnection,
  ports: Parameters<typeof openAdapter>[1],
): Promise<(billing: CallBilling) => Model> {
  const adapter = await openAdapter(connection, ports);
  return (billing) => withBilling(adapter, billing);
}
