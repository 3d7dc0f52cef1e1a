// Tests that staged files replace no other file without hard links, and that no other user can read them early.
import assert from "node:assert/strict";
import { StagedFile } from "../../../../runtime/tools/files/staged_file.ts";
import { testHeld as test } from "./held_entries.ts";

const { signal } = new AbortController();
const bytes = (text: string) => new TextEncoder().encode(text);
const names = (dir: string) => [...Deno.readDirSync(dir)].map(({ name }) => name).sort();
const refuse = () => {
  throw Object.assign(new Error("no hard links here"), { code: "EPERM" });
};

test("StagedFile.publishNew() publishes to a free name without hard links", async ({ dir, entry }) => {
  const staged = await StagedFile.write(await entry(dir, "a"), [bytes("new")], { signal });
  await staged.publishNew({ link: refuse });
  assert.equal(await Deno.readTextFile(`${dir}/a`), "new");
  assert.deepEqual(names(dir), ["a"]);
});

test("StagedFile.publishNew() overwrites no file without hard links", async ({ dir, entry }) => {
  const target = `${dir}/a`;
  const staged = await StagedFile.write(await entry(dir, "a"), [bytes("new")], { signal });
  await assert.rejects(
    staged.publishNew({
      // The other file is created only when the link is refused, so that an earlier check cannot find it.
      link() {
        Deno.writeTextFileSync(target, "theirs");
        refuse();
      },
    }),
    { code: "EEXIST" },
  );
  assert.equal(await Deno.readTextFile(target), "theirs");
  staged.discard();
  assert.deepEqual(names(dir), ["a"]);
});

test("StagedFile.write() hides a file from other users while it writes", async ({ dir, entry }) => {
  const seen: number[] = [];
  function* chunks(): Generator<Uint8Array> {
    for (const text of ["some", "more"]) {
      yield bytes(text);
      for (const name of names(dir)) {
        seen.push((Deno.statSync(`${dir}/${name}`).mode ?? 0) & 0o777);
      }
    }
  }
  const mode = 0o100640;
  const staged = await StagedFile.write(await entry(dir, "a"), chunks(), { mode, signal });
  assert.deepEqual(seen, [0o600, 0o600]);
  await staged.publish();
  assert.equal((Deno.statSync(`${dir}/a`).mode ?? 0) & 0o777, 0o640);
});
