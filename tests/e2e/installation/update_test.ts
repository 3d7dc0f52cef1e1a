// `inkling update` as a real process: in a checkout, and as a package in npm's folder.
import assert from "node:assert/strict";
import { dirname, join, relative } from "node:path";
import { PERMISSION_FLAGS } from "../../../cli/self_command.ts";
import { filesBelow, REPOSITORY } from "../../support/repository.ts";
import { createRealHome } from "../real_process.ts";

Deno.test({
  name: "update in a checkout says who updates it",
  // What ships is in none.
  ignore: Deno.env.has("INKLING_TEST_BUNDLE"),
}, async () => {
  await using home = await createRealHome();
  const { code, stdout, stderr } = await home.inkling("update");
  assert.equal(code, 1);
  assert.equal(stdout, "");
  assert.equal(
    stderr,
    `Error: This Inkling runs from its sources in ${REPOSITORY}: "git pull" there updates it\n`,
  );
});

/** Copies what the program is made of, the pages aside. */
async function copyProgram(directory: string): Promise<void> {
  for (const part of ["main.ts", "deno.json", "base", "composition", "cli", "runtime", "server"]) {
    for (const path of filesBelow(join(REPOSITORY, part))) {
      if (path.includes("docs_assets")) continue;
      const target = join(directory, relative(REPOSITORY, path));
      await Deno.mkdir(dirname(target), { recursive: true });
      await Deno.copyFile(path, target);
    }
  }
}

Deno.test("update of a package in npm's global folder asks npm for nothing, while anybody may own the name there", async () => {
  await using home = await createRealHome();
  const directory = join(home.root, "lib", "node_modules", "inkling");
  await copyProgram(directory);
  const bin = join(home.root, "bin");
  await Deno.mkdir(bin);
  await Deno.writeTextFile(
    join(bin, "npm"),
    `#!/bin/sh\ntouch '${home.root}/asked'\necho 99.0.0\n`,
  );
  await Deno.chmod(join(bin, "npm"), 0o755);
  await using installed = await createRealHome({
    shell: { ...home.shell, PATH: `${bin}:${Deno.env.get("PATH")}` },
    command: [
      ...[Deno.execPath(), "run", "--no-check", "--no-lock"],
      ...["--config", join(directory, "deno.json"), ...PERMISSION_FLAGS],
      join(directory, "main.ts"),
    ],
  });
  const { code, stdout, stderr } = await installed.inkling("update", "--check");
  assert.equal(stdout, "");
  assert.match(stderr, /^Error: Cannot update through npm: Inkling is not in npm's registry/);
  assert.equal(code, 1);
  await assert.rejects(Deno.stat(join(home.root, "asked")), Deno.errors.NotFound);
});
