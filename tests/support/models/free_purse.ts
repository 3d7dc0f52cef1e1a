// A purse that is never empty, for models that are tested for something else than money.
import type { Purse } from "../../../runtime/models/spending.ts";

export const FREE_PURSE: Omit<Purse, "model"> = {
  gate: { reserve: () => Promise.resolve({ settle: () => Promise.resolve() }) },
  prices: { costOf: () => Promise.resolve(0) },
};
