// Keeps the results of conversions and lists the same objects until their content changes.
import type { AgentListing } from "../../interface/runtime.ts";

/**
 * Caches the result of a conversion for each source object. A source must not change. A result is valid until the version
 * changes.
 */
export class KeptResults<Source extends object, Result> {
  readonly #version: () => object;
  readonly #kept = new WeakMap<Source, { version: object; result: Promise<Result> }>();

  /** `version` returns the current version: another object as soon as a conversion may have another result. */
  constructor(version: () => object) {
    this.#version = version;
  }

  /** Returns the cached result for the source, or calls `convert` and caches its result. A failure is not cached. */
  keep(source: Source, convert: () => Promise<Result>): Promise<Result> {
    const version = this.#version();
    const kept = this.#kept.get(source);
    if (kept?.version === version) return kept.result;
    const result = convert();
    this.#kept.set(source, { version, result });
    result.catch(() => this.#kept.delete(source));
    return result;
  }
}

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

/**
 * Returns true if both have the same field values. Objects are compared by identity, because a changed field gets a new
 * object.
 */
function isEqual(one: AgentListing, other: AgentListing): boolean {
  const names = Object.keys(one) as (keyof AgentListing)[];
  return names.length === Object.keys(other).length &&
    names.every((name) => Object.is(one[name], other[name]));
}
