// Defines a fuzz target: a name, a claim, random cases, and a check of the claim for one case.
import fc from "fast-check";

/** A claim that is checked with many random cases. */
export interface FuzzTarget {
  readonly name: string;
  /** The claim as a sentence, which must hold for every case. */
  readonly claim: string;
  /** The divisor of the number of cases: with 10, a tenth of the requested cases is tried. */
  readonly oneIn: number;
  /**
   * Tries `cases` random cases, divided by `oneIn`. Throws an error with the seed and the smallest case for which the claim
   * is false.
   */
  run(options: { cases: number; seed: number }): Promise<void>;
}

/** The parts from which `defineTarget` builds a target. */
export interface TargetParts<Case, World extends object> {
  name: string;
  claim: string;
  /** The divisor of the number of cases, for cases that are slow. Default: 1. */
  oneIn?: number;
  /**
   * Opens the resource that all cases of a run share, for example a folder or a server. The resource is disposed after the
   * last case.
   */
  open?: () => Promise<World & AsyncDisposable>;
  cases: (world: World) => fc.Arbitrary<Case>;
  /** Throws if the claim is false for the case. */
  check: (one: Case, world: World) => void | Promise<void>;
}

/**
 * The time limit of one case in milliseconds. All cases are small, so a case that reaches the limit is a defect even on a
 * busy machine.
 */
const MAX_CASE_MS = 60_000;

/** Returns a target with these parts. */
export function defineTarget<Case, World extends object = object>(
  parts: TargetParts<Case, World>,
): FuzzTarget {
  const { name, claim, oneIn = 1, open, cases, check } = parts;
  return {
    name,
    claim,
    oneIn,
    async run(options) {
      await using world = await (open?.() ?? openNothing<World>());
      const property = fc.asyncProperty(cases(world), async (one) => {
        const begin = performance.now();
        await check(one, world);
        const taken = Math.round(performance.now() - begin);
        if (taken > MAX_CASE_MS) throw new Error(`The case took ${taken} ms`);
      });
      try {
        await fc.assert(property, {
          numRuns: Math.ceil(options.cases / oneIn),
          seed: options.seed,
          timeout: MAX_CASE_MS,
          includeErrorInReport: true,
        });
      } catch (cause) {
        const again = `deno task fuzz ${name} --seed ${options.seed} --cases ${options.cases}`;
        const found = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`${name} does not hold: ${claim}\nAgain: ${again}\n${found}`, { cause });
      }
    },
  };
}

function openNothing<World extends object>(): Promise<World & AsyncDisposable> {
  // The cast is safe, because a target without `open` uses no world.
  return Promise.resolve(
    { [Symbol.asyncDispose]: () => Promise.resolve() } as
      & World
      & AsyncDisposable,
  );
}
