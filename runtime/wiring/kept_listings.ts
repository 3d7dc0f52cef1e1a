// Keeps the list of agents the same object until an agent, its newest execution or its trigger changes.
import type { AgentListing } from "../interface/runtime.ts";

/** Returns `earlier` if it has the same content as `listings`; otherwise the new list with the kept entries. */
export function withKept(
  listings: readonly AgentListing[],
  earlier: readonly AgentListing[],
): readonly AgentListing[] {
  let isKept = listings.length === earlier.length;
  const merged = listings.map((listing, index) => {
    const before = earlier[index];
    if (before !== undefined && isEqual(listing, before)) return before;
    isKept = false;
    return listing;
  });
  return isKept ? earlier : merged;
}

/** Compares the fields. Those that are objects are replaced, never changed. */
function isEqual(one: AgentListing, other: AgentListing): boolean {
  const names = Object.keys(one) as (keyof AgentListing)[];
  return names.length === Object.keys(other).length &&
    names.every((name) => Object.is(one[name], other[name]));
}
