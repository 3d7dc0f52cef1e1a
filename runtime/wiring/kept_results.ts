// Keeps the results of conversions by their source, until a version changes.

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
