// A price file that cannot be read: what is said of it, and that the prices of before stay.
import assert from "node:assert/strict";
import { PriceFile } from "../../runtime/models/price_file.ts";
import { age, withTempDir } from "../config/temp_dir.ts";

const GOOD = "local/tiny: { input: 1, output: 2 }\n";

Deno.test("PriceFile keeps the prices of before while the file is too big or no text, and says why", async () => {
  await withTempDir(async (dir) => {
    const path = `${dir}/pricing.yaml`;
    await Deno.writeTextFile(path, GOOD);
    const file = new PriceFile(path);
    const price = file.look().prices.get("local/tiny");
    assert.notEqual(price, undefined);
    assert.deepEqual(file.look().problems, []);

    await Deno.writeTextFile(path, `${GOOD}#${"x".repeat(1024 * 1024)}\n`);
    assert.deepEqual(file.look().problems, [{
      path,
      line: 1,
      column: 1,
      severity: "error",
      message: "The file is over 1 MB, too large for a price list",
    }]);
    assert.deepEqual(file.look().prices.get("local/tiny"), price);

    await Deno.writeFile(path, new Uint8Array([...new TextEncoder().encode("# a\n# "), 0xff]));
    const [problem] = file.look().problems;
    assert.equal(problem?.line, 2);
    assert.match(problem?.message ?? "", /UTF-8/);
    assert.deepEqual(file.look().prices.get("local/tiny"), price);

    await Deno.writeTextFile(path, GOOD);
    assert.deepEqual(file.look().problems, []);
  });
});

Deno.test("PriceFile reads a file that stays as it is once", async () => {
  await withTempDir(async (dir) => {
    const path = `${dir}/pricing.yaml`;
    await Deno.writeTextFile(path, GOOD);
    await age(path);
    const file = new PriceFile(path);
    const price = file.look().prices.get("local/tiny");
    // The very same: a file that is read again gives another.
    assert.equal(file.look().prices.get("local/tiny"), price);
    assert.deepEqual(file.look().problems, []);
  });
});
