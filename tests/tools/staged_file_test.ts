import assert from "node:assert/strict";
import { identityOf } from "../../runtime/tools/file_identity.ts";
import { lstatIfThere } from "../../runtime/tools/missing_entry.ts";
import { PlaceChanged, PlaceUnsettled } from "../../runtime/tools/place_changed.ts";
import { StagedFile } from "../../runtime/tools/staged_file.ts";
import { withTempDir } from "../support/temp_dir.ts";

const { signal } = new AbortController();
const bytes = (text: string) => new TextEncoder().encode(text);
const names = (dir: string) => [...Deno.readDirSync(dir)].map(({ name }) => name).sort();

async function identityAt(path: string): Promise<string> {
  const info = await lstatIfThere(path);
  assert.ok(info);
  return identityOf(info);
}

Deno.test("StagedFile.publish() replaces what is there, with the permissions that were asked for", async () => {
  await withTempDir(async (dir) => {
    const target = `${dir}/a`;
    await Deno.writeTextFile(target, "old");
    const staged = await StagedFile.write(target, [bytes("new "), bytes("text")], {
      mode: 0o100640,
      signal,
    });
    assert.equal(await Deno.readTextFile(target), "old");
    const version = await staged.version();
    await staged.publish();
    assert.equal(await Deno.readTextFile(target), "new text");
    assert.equal(((await Deno.stat(target)).mode ?? 0) & 0o777, 0o640);
    assert.ok(version.startsWith(await identityAt(target)));
    assert.deepEqual(names(dir), ["a"]);
  });
});

Deno.test("StagedFile.publishNew() overwrites nothing; discard() leaves no trace", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/a`, "old");
    const staged = await StagedFile.write(`${dir}/a`, [bytes("new")], { signal });
    await assert.rejects(staged.publishNew(), { code: "EEXIST" });
    await staged.discard();
    await staged.discard();
    assert.equal(await Deno.readTextFile(`${dir}/a`), "old");
    assert.deepEqual(names(dir), ["a"]);
  });
});

Deno.test("StagedFile.write() leaves nothing behind when it is stopped", async () => {
  await withTempDir(async (dir) => {
    const stop = new AbortController();
    function* chunks(): Generator<Uint8Array> {
      yield bytes("some");
      stop.abort(new Error("stopped"));
      yield bytes("more");
    }
    await assert.rejects(
      StagedFile.write(`${dir}/a`, chunks(), { signal: stop.signal }),
      /stopped/,
    );
    assert.deepEqual(names(dir), []);
  });
});

Deno.test("StagedFile.link() links the file that was meant, and no other of its name", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/a`, "a");
    await Deno.writeTextFile(`${dir}/other`, "other");
    const identity = await identityAt(`${dir}/a`);
    const staged = await StagedFile.link(`${dir}/a`, identity, `${dir}/b`);
    await staged.publishNew();
    assert.equal(await identityAt(`${dir}/b`), identity);
    await assert.rejects(StagedFile.link(`${dir}/other`, identity, `${dir}/c`), PlaceChanged);
    assert.deepEqual(names(dir), ["a", "b", "other"]);
  });
});

Deno.test("StagedFile.setAside() takes the file that was meant, which can be put back", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/a`, "a");
    await Deno.writeTextFile(`${dir}/other`, "other");
    const other = await identityAt(`${dir}/other`);
    await assert.rejects(StagedFile.setAside(`${dir}/a`, other), PlaceChanged);
    const aside = await StagedFile.setAside(`${dir}/a`, await identityAt(`${dir}/a`));
    assert.equal(await lstatIfThere(`${dir}/a`), undefined);
    await aside.publishNew();
    assert.equal(await Deno.readTextFile(`${dir}/a`), "a");
    assert.deepEqual(names(dir), ["a", "other"]);
  });
});

Deno.test("StagedFile.publish() goes nowhere when its folder was swapped for another", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/in`);
    await Deno.mkdir(`${dir}/outside`);
    await Deno.writeTextFile(`${dir}/outside/a`, "theirs");
    const staged = await StagedFile.write(`${dir}/in/a`, [bytes("ours")], { signal });
    await Deno.rename(`${dir}/in`, `${dir}/in-before`);
    await Deno.symlink(`${dir}/outside`, `${dir}/in`);
    await assert.rejects(staged.publish(), PlaceChanged);
    assert.equal(await Deno.readTextFile(`${dir}/outside/a`), "theirs");
    assert.deepEqual(names(`${dir}/outside`), ["a"]);
  });
});

Deno.test("StagedFile.write() makes nothing in a folder that is exchanged without end", async () => {
  await withTempDir(async (dir) => {
    for (const name of ["in", "outside"]) await Deno.mkdir(`${dir}/${name}`);
    const heard: string[] = [];
    const listener = Deno.watchFs(`${dir}/outside`);
    const listening = (async () => {
      for await (const { kind, paths } of listener) heard.push(`${kind} ${paths}`);
    })();
    await Deno.symlink(`${dir}/outside`, `${dir}/link`);
    const turns = setInterval(() => {
      Deno.renameSync(`${dir}/in`, `${dir}/in-before`);
      Deno.renameSync(`${dir}/link`, `${dir}/in`);
      Deno.renameSync(`${dir}/in`, `${dir}/link`);
      Deno.renameSync(`${dir}/in-before`, `${dir}/in`);
    }, 1);
    try {
      await assert.rejects(
        StagedFile.write(`${dir}/in/a`, [bytes("ours")], { signal }),
        PlaceUnsettled,
      );
    } finally {
      clearInterval(turns);
      listener.close();
      await listening;
    }
    assert.deepEqual([...names(`${dir}/in`), ...heard], []);
  });
});
