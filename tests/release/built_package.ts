// The npm package, built once for all tests of a thread, because the build takes longer than all their tests.
import { toNpmPackage } from "../../release/npm_package.ts";
import { openStage, type Stage } from "../../release/stage.ts";

let built: Promise<Stage> | undefined;

Deno.test.afterAll(async () =>
  await (await built?.catch(() => undefined))?.[Symbol.asyncDispose]()
);

/** Returns the built package, which tests copy and do not change. The first call builds it. */
export function builtPackage(): Promise<Omit<Stage, typeof Symbol.asyncDispose>> {
  return built ??= build();
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
