// Builds the npm package once for all test files, and passes its place in environment variables. A process that a test
// starts from the bundle loads a few modules instead of several hundred.
import { join } from "node:path";
import { toNpmPackage } from "../../release/npm_package.ts";
import { openStage } from "../../release/stage.ts";

/** The built package, and the environment variables that name it for the tests. Disposing removes the package. */
export interface SharedProgram extends AsyncDisposable {
  env: Readonly<Record<string, string>>;
}

/** Builds the package, and writes its description to a file in `folder`. */
export async function buildShared(folder: string): Promise<SharedProgram> {
  const stage = await openStage();
  try {
    await toNpmPackage(stage);
    const description = join(folder, "package.json");
    await Deno.writeTextFile(description, JSON.stringify(stage));
    return {
      env: { INKLING_TEST_BUNDLE: stage.directory, INKLING_TEST_PACKAGE: description },
      [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
    };
  } catch (error) {
    await stage[Symbol.asyncDispose]();
    throw error;
  }
}
