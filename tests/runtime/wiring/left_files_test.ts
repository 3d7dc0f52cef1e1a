// Tests that the next start removes the half-written files of a killed service from agents' folders.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { REPOSITORY } from "../../support/repository.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";

Deno.test("a start removes a killed service's half-written files, and logs a file without a name", async () => {
  await using place = await createTestWorkspace();
  const folder = join(place.workspace, "deep/inside");
  await Deno.mkdir(folder, { recursive: true });
  await (await place.open())[Symbol.asyncDispose]();
  const { signal, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--config", join(REPOSITORY, "tests/deno.json"), "--no-check", "--no-prompt"],
      ...["--allow-read", "--allow-write", "--allow-run", "--allow-sys"],
      fileURLToPath(new URL("./killed_write.ts", import.meta.url)),
      ...[folder, place.stateDir],
    ],
  }).output();
  assert.equal(signal, "SIGKILL", new TextDecoder().decode(stderr));
  // `inkling setup` writes into this folder and may be killed, too.
  const ofSetup = `.inkling-${crypto.randomUUID()}-0.tmp`;
  await Deno.writeTextFile(join(place.configDir, ofSetup), "workspace: /nowh");
  assert.equal(namesIn(folder).length, 2);

  await (await place.open())[Symbol.asyncDispose]();
  assert.ok(!namesIn(place.configDir).includes(ofSetup));
  const [kept = "", ...others] = namesIn(folder);
  assert.deepEqual(others, []);
  assert.equal(await Deno.readTextFile(join(folder, kept)), "the only copy");
  const told = () =>
    place.logged.filter(({ message }) => message.startsWith("A file has a temporary name"));
  assert.deepEqual(told().map(({ fields }) => fields), [{ path: join(folder, kept) }]);

  await (await place.open())[Symbol.asyncDispose]();
  assert.equal(told().length, 1);
});

function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name);
}
