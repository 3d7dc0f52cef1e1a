// A fuzz target: a name, what it claims, cases by chance, and a property that holds for each of them.
import fc from "fast-check";

/** Something that is tried with many cases by chance. */
export interface FuzzTarget {
  readonly name: string;
  /** What holds for every case, as a sentence. */
  readonly claim: string;
  /** How many of the cases asked for make one that is tried. */
  readonly oneIn: number;
  /** Tries so many cases (of a costly one its share of them); throws with the seed and the smallest case that breaks the claim. */
  run(options: { cases: number; seed: number }): Promise<void>;
}

/** What a target consists of. */
export interface TargetParts<Case, World extends object> {
  name: string;
  claim: string;
  /** One case in so many is tried, where a case is a whole life of something. Default: each. */
  oneIn?: number;
  /** What all cases of one run share: a folder, a server. Disposed of after the last one. */
  open?: () => Promise<World & AsyncDisposable>;
  cases: (world: World) => fc.Arbitrary<Case>;
  /** Throws when the claim does not hold for the case. */
  check: (one: Case, world: World) => void | Promise<void>;
}

/** Every case is small: one that takes as long as this, even on a busy machine, has a time that its size does not explain. */
const LONGEST_CASE_MS = 60_000;

/** Ties the parts together. */
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
        if (taken > LONGEST_CASE_MS) throw new Error(`The case took ${taken} ms`);
      });
      try {
        await fc.assert(property, {
          numRuns: Math.ceil(options.cases / oneIn),
          seed: options.seed,
          timeout: LONGEST_CASE_MS,
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
  // Only a target without a world comes here: there is nothing of it to read.
  return Promise.resolve(
    { [Symbol.asyncDispose]: () => Promise.resolve() } as
      & World
      & AsyncDisposable,
  );
}
