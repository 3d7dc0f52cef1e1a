// The tests that use the program as a person does, with what ships in the place of the sources.
import { fileURLToPath } from "node:url";
import { toNpmPackage } from "../../release/npm_package.ts";
import { openStage } from "../../release/stage.ts";
import denoJson from "../../deno.json" with { type: "json" };

/** Runs them. Rejects where one fails. */
export async function testBundle(): Promise<void> {
  await using stage = await openStage();
  await toNpmPackage(stage);
  // As `deno task test` runs all of them.
  const [, ...args] = denoJson.tasks.test.command.split(" ").slice(0, -1);
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [...args, "tests/e2e/"],
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    env: { INKLING_TEST_BUNDLE: stage.directory },
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("The bundle does not pass the end-to-end tests");
}
