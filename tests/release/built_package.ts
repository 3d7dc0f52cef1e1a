// The npm package: the one that the suite built for all tests, or one built for all tests of a thread, because the build
// takes longer than all their tests.
import { toNpmPackage } from "../../release/npm_package.ts";
import { openStage, type Stage } from "../../release/stage.ts";

type Package = Omit<Stage, typeof Symbol.asyncDispose>;

const DESCRIPTION = Deno.env.get("INKLING_TEST_PACKAGE");

let built: Promise<Stage> | undefined;

Deno.test.afterAll(async () =>
  await (await built?.catch(() => undefined))?.[Symbol.asyncDispose]()
);

/** Returns the built package, which tests copy and do not change. Without a package of the suite, the first call builds it. */
export async function builtPackage(): Promise<Package> {
  if (DESCRIPTION !== undefined) return JSON.parse(await Deno.readTextFile(DESCRIPTION));
  return await (built ??= build());
}

async function build(): Promise<Stage> {
  const stage = await openStage();
  try {
    await toNpmPackage(stage);
    return stage;
  } catch (error) {
    await stage[Symbol.asyncDispose]();
    throw error;
  }
}
