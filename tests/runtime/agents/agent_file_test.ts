import assert from "node:assert/strict";
import { readAgentFile } from "../../../runtime/agents/agent_file.ts";
import { SystemClock } from "../../../base/clock.ts";
import { listAgentFiles } from "../../../runtime/agents/agent_names.ts";
import { withTempDir } from "../../support/temp_dir.ts";

Deno.test("readAgentFile() gives one warning, and no bytes, for a listed file whose name ends with .MD", async () => {
  await withTempDir(async (dir) => {
    for (const name of ["b.md", "UP.MD", "README.MD"]) {
      await Deno.writeTextFile(`${dir}/${name}`, "Do it.");
    }
    const names = await listAgentFiles(dir);
    assert.deepEqual(names, ["UP.MD", "b.md"]);
    const [misnamed, proper] = await Promise.all(
      names.map((name) => readAgentFile(`${dir}/${name}`)),
    );
    assert.deepEqual(misnamed, {
      diagnostic: {
        path: `${dir}/UP.MD`,
        line: 1,
        column: 1,
        severity: "warning",
        message: "The file is ignored: the name of an agent file ends with .md",
        hint: "rename it to UP.md",
      },
    });
    assert.ok(proper !== undefined && "bytes" in proper);
  });
});

Deno.test("readAgentFile() reads nothing where the stamp is known, and finds no file in a folder", async () => {
  await withTempDir(async (dir) => {
    const path = `${dir}/a.md`;
    await Deno.writeTextFile(path, "Do it.");
    await Deno.utime(path, 1_000, 1_000);
    const read = await readAgentFile(path);
    assert.ok(read !== undefined && "bytes" in read);
    if (read.stamp !== undefined) {
      assert.equal(
        await readAgentFile(path, { known: read.stamp, fileClock: new SystemClock() }),
        "unchanged",
      );
    }
    assert.equal(await readAgentFile(dir), undefined);
    assert.equal(await readAgentFile(`${dir}/gone.md`), undefined);
  });
});
