// Lists all faults, the quick ones first.
import { absentModel } from "./absent_model.ts";
import type { Fault } from "./fault.ts";
import { frozenService } from "./frozen_service.ts";
import { fullDisk } from "./full_disk.ts";
import { lockedDatabase } from "./locked_database.ts";
import { noDescriptors } from "./no_descriptors.ts";
import { readOnlyState } from "./read_only_state.ts";

export const FAULTS: Readonly<Record<string, Fault>> = {
  "read-only-state": readOnlyState,
  "absent-model": absentModel,
  "no-descriptors": noDescriptors,
  "full-disk": fullDisk,
  "locked-database": lockedDatabase,
  "frozen-service": frozenService,
};
