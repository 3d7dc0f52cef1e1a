// Keeps the results of conversions and lists the same objects until their content changes.
import type { AgentListing } from "../interface/runtime.ts";

/** The results of one conversion. The source must not change. A result is valid for one version. */
export class KeptResults<Source extends object, Result> {
  readonly #version: () => object;
  readonly #kept = new WeakMap<Source, { version: object; result: Promise<Result> }>();

  /** `version` returns an object that is the same until the conversions have other results. */
  constructor(version: () => object) {
    this.#version = version;
  }

  /** Returns the kept result for the source, or converts it. */
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

/** Compares the fields. Those that are objects are replaced, never changed. */
function isEqual(one: AgentListing, other: AgentListing): boolean {
  const names = Object.keys(one) as (keyof AgentListing)[];
  return names.length === Object.keys(other).length &&
    names.every((name) => Object.is(one[name], other[name]));
}
