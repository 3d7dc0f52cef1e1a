// The type of a fuzz target: a name, a claim, random cases, and a property that holds for each of them.
import fc from "fast-check";

/** A property that is tried with many random cases. */
export interface FuzzTarget {
  readonly name: string;
  /** The property that holds for every case, as a sentence. */
  readonly claim: string;
  /** The number of requested cases for each case that is tried. */
  readonly oneIn: number;
  /**
   * Runs `cases` random cases, or a share of them for a costly target. Throws an error with the seed
   * and the smallest case that breaks the claim.
   */
  run(options: { cases: number; seed: number }): Promise<void>;
}

/** The parts of a target. */
export interface TargetParts<Case, World extends object> {
  name: string;
  claim: string;
  /** Tries one case in this number, for cases that are a whole life of something. Default: each. */
  oneIn?: number;
  /** Opens the resource that all cases of one run share: a folder, a server. It is disposed after the last case. */
  open?: () => Promise<World & AsyncDisposable>;
  cases: (world: World) => fc.Arbitrary<Case>;
  /** Throws when the claim does not hold for the case. */
  check: (one: Case, world: World) => void | Promise<void>;
}

/** Every case is small: one that takes this long, even on a busy machine, has an unexplained running time. */
const MAX_CASE_MS = 60_000;

/** Builds a target from its parts. */
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
  // Called only for targets that need no world, so the cast is safe.
  return Promise.resolve(
    { [Symbol.asyncDispose]: () => Promise.resolve() } as
      & World
      & AsyncDisposable,
  );
}
