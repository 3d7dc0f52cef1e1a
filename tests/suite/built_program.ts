// The program as it ships, built once for all tests of the suite.
import { toNpmPackage } from "../../release/npm_package.ts";
import { openStage, type Stage } from "../../release/stage.ts";

/** The lists of a stage, which a test cannot read from its folder. */
export type StageLists = Pick<Stage, "files" | "packages">;

/** The folder, and the environment by which tests find it. Disposing removes both. */
export interface BuiltProgram extends AsyncDisposable {
  env: Readonly<Record<string, string>>;
}

/** Builds the npm package. Throws Error when the packages are not available. */
export async function buildProgram(): Promise<BuiltProgram> {
  const stage = await openStage();
  await toNpmPackage(stage);
  const { directory, files, packages } = stage;
  const lists: StageLists = { files, packages };
  await Deno.writeTextFile(`${directory}.json`, JSON.stringify(lists));
  return {
    env: { INKLING_TEST_BUNDLE: directory },
    [Symbol.asyncDispose]: async () => {
      await Deno.remove(`${directory}.json`);
      await stage[Symbol.asyncDispose]();
    },
  };
}

/** Reads what `buildProgram()` wrote beside the folder. */
export async function readStageLists(directory: string): Promise<StageLists> {
  return JSON.parse(await Deno.readTextFile(`${directory}.json`));
}
