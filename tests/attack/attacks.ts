// Every attack there is, in the order in which they are run.
import type { Attack } from "./attack.ts";

/** What a hostile neighbour, file, program, endpoint or client could try. */
export const ATTACKS: readonly Attack[] = [];
