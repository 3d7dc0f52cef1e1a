import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { ifThere, ignoreMissing } from "../../../base/files/missing.ts";

Deno.test("ignoreMissing() and ifThere() return undefined only for a missing path", async () => {
  const file = await Deno.makeTempFile();
  try {
    for (const path of [`${file}-not`, `${file}/below`]) {
      assert.equal(await Deno.stat(path).catch(ignoreMissing), undefined);
      assert.equal(await stat(path).catch(ignoreMissing), undefined);
      assert.equal(ifThere(() => Deno.statSync(path)), undefined);
    }
    assert.equal(ifThere(() => Deno.statSync(file).size), 0);
    assert.throws(() => ifThere(() => Deno.mkdirSync(file)), Deno.errors.AlreadyExists);
  } finally {
    await Deno.remove(file);
  }
});
