// A CallBilling without costs, for tests that do not check money.
import type { CallBilling } from "../../../runtime/models/calls/spending.ts";

export const FREE_BILLING: Omit<CallBilling, "model"> = {
  gate: { reserve: () => Promise.resolve({ settle: () => Promise.resolve() }) },
  prices: { costOf: () => Promise.resolve(0) },
};
