// Opens adapters. All other code opens models through this file, which requires a CallBilling, so that no call is unpaid.
import type { Model } from "../model.ts";
import { openAdapter } from "../providers/adapters.ts";
import type { AdapterOptions } from "../providers/provider_model.ts";
import { type CallBilling, withBilling } from "./spending.ts";

/**
 * Opens the adapter of a connection. Returns a function that creates a model from a CallBilling. Throws ModelError if the
 * connection is invalid.
 */
export async function openPaidModel(
  options: AdapterOptions,
): Promise<(billing: CallBilling) => Model> {
  const adapter = await openAdapter(options);
  return (billing) => withBilling(adapter, billing);
}
