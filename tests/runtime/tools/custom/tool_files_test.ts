// Which file a custom tool's name means, and whether the folder changed.
import assert from "node:assert/strict";
import { findToolFile, stampTools } from "../../../../runtime/tools/custom/tool_files.ts";
import { age, withTempDir } from "../../../support/temp_dir.ts";

Deno.test("findToolFile() says that a script in another language is no tool, and where it belongs", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/sum.py`, "");
    for (const name of ["sum", "sum.py"]) {
      const found = await findToolFile(name, dir);
      assert.match(
        "problem" in found ? found.problem : "",
        /only sum\.py: tools are written in TypeScript or JavaScript.* belongs into a skill/,
      );
    }
    const other = await findToolFile("other", dir);
    assert.doesNotMatch("problem" in other ? other.problem : "", /skill/);
  });
});

Deno.test("findToolFile() takes TypeScript before JavaScript, and says what is missing", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/sum.js`, "");
    assert.deepEqual(await findToolFile("sum", dir), { module: "sum", path: `${dir}/sum.js` });
    await Deno.writeTextFile(`${dir}/sum.ts`, "");
    assert.deepEqual(await findToolFile("sum", dir), { module: "sum", path: `${dir}/sum.ts` });
    assert.deepEqual(await findToolFile("other", dir), {
      problem: `there is no other.ts and no other.js in ${dir}`,
    });
  });
});

Deno.test("findToolFile() takes no path for a name", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/tools`);
    await Deno.writeTextFile(`${dir}/secret.ts`, "");
    for (const module of ["../secret", "./secret", `${dir}/secret`, ".secret", "a/b", ""]) {
      assert.deepEqual(await findToolFile(module, `${dir}/tools`), {
        problem: "this is not the name of a file in the tools folder",
      });
    }
  });
});

Deno.test("findToolFile() follows links inside the folder, and says so of one that leads out", async () => {
  await withTempDir(async (dir) => {
    const tools = `${dir}/tools`;
    await Deno.mkdir(tools);
    await Deno.writeTextFile(`${dir}/outside.ts`, "");
    await Deno.writeTextFile(`${tools}/real.ts`, "");
    await Deno.symlink("real.ts", `${tools}/inside.ts`);
    await Deno.symlink("../outside.ts", `${tools}/out.ts`);
    await Deno.symlink("loop.ts", `${tools}/loop.ts`);
    assert.deepEqual(await findToolFile("inside", tools), {
      module: "inside",
      path: `${tools}/real.ts`,
    });
    assert.deepEqual(await findToolFile("out", tools), {
      problem: "out.ts is a symbolic link that leads out of the tools folder",
    });
    assert.deepEqual(await findToolFile("loop", tools), {
      problem: `${tools}/loop cannot be read (ELOOP)`,
    });
  });
});

Deno.test("stampTools() stays while nothing changes, below the folder too, and differs afterwards", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/shared`);
    for (const name of ["sum.ts", "shared/numbers.ts"]) {
      await Deno.writeTextFile(`${dir}/${name}`, "1");
      await age(`${dir}/${name}`);
    }
    await Deno.symlink("nowhere.ts", `${dir}/dangling.ts`);
    const before = await stampTools(dir);
    assert.notEqual(before, undefined);
    assert.equal(await stampTools(dir), before);
    await Deno.writeTextFile(`${dir}/shared/numbers.ts`, "22");
    await age(`${dir}/shared/numbers.ts`, 2);
    const after = await stampTools(dir);
    assert.notEqual(after, undefined);
    assert.notEqual(after, before);
    await Deno.remove(`${dir}/sum.ts`);
    assert.notEqual(await stampTools(dir), after);
  });
});
