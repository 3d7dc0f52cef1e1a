// Tests broken price files: the reported problems, and the prices that stay valid.
import assert from "node:assert/strict";
import { parsePriceFile, PriceFile } from "../../../runtime/models/price_file.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const GOOD = "local/tiny: { input: 1, output: 2 }\n";

Deno.test("PriceFile keeps the last prices while the file is unreadable, and reports the reason", () =>
  withTempDir(async (dir) => {
    const path = `${dir}/pricing.yaml`;
    await Deno.writeTextFile(path, GOOD);
    const file = new PriceFile(path);
    const price = file.current().prices.get("local/tiny");
    assert.notEqual(price, undefined);
    assert.deepEqual(file.current().problems, []);

    await Deno.writeTextFile(path, `${GOOD}#${"x".repeat(1024 * 1024)}\n`);
    const message = "The file is over 1 MB, too large for a price list";
    const severity = "error";
    assert.deepEqual(file.current().problems, [{ path, line: 1, column: 1, severity, message }]);
    assert.deepEqual(file.current().prices.get("local/tiny"), price);

    await Deno.writeFile(path, new Uint8Array([...new TextEncoder().encode("# a\n# "), 0xff]));
    const [problem] = file.current().problems;
    assert.equal(problem?.line, 2);
    assert.match(problem?.message ?? "", /UTF-8/);
    assert.deepEqual(file.current().prices.get("local/tiny"), price);

    await Deno.writeTextFile(path, GOOD);
    assert.deepEqual(file.current().problems, []);
  }));

Deno.test("PriceFile keeps valid prices, and reports each broken one with its position", () =>
  withTempDir(async (dir) => {
    const path = `${dir}/pricing.yaml`;
    const file = new PriceFile(path);
    await Deno.writeTextFile(
      path,
      `a: { input: -1, output: 2 }\n${GOOD}b:\nconstructor: { input: 3, output: 4 }\nc: { input: 1 }\n` +
        "d: { input: x, output: 1, odd: 1 }\n",
    );
    const { prices, broken, failure, problems } = file.current();
    assert.deepEqual([...prices], [
      ["local/tiny", { input: 1, output: 2 }],
      ["constructor", { input: 3, output: 4 }],
    ]);
    assert.deepEqual(problems.map(({ line, column, message }) => `${line}:${column} ${message}`), [
      "1:13 a.input must not be negative, got -1",
      "3:3 b must be a map of keys and values, got nothing",
      "5:1 c.output is missing",
      "6:27 Unknown key d.odd: it is ignored",
      '6:13 d.input must be a number, got "x"',
    ]);
    assert.deepEqual([...broken.keys()], ["a", "b", "c", "d"]);
    const isUnknown = ({ message }: { message: string }) => message.startsWith("Unknown key");
    assert.deepEqual([...broken.values()], problems.filter((one) => !isUnknown(one)));
    assert.equal(failure, undefined);
  }));

Deno.test("PriceFile keeps the last price of a broken entry, and removes a deleted entry", () =>
  withTempDir(async (dir) => {
    const path = `${dir}/pricing.yaml`;
    const file = new PriceFile(path);
    const inputs = () =>
      Object.fromEntries([...file.current().prices].map(([k, v]) => [k, v.input]));
    await Deno.writeTextFile(path, "a: { input: 1, output: 1 }\nb: { input: 2, output: 1 }\n");
    assert.deepEqual(inputs(), { a: 1, b: 2 });
    await Deno.writeTextFile(path, "a: { input: x, output: 1 }\nb: { input: 30, output: 1 }\n");
    assert.deepEqual(inputs(), { a: 1, b: 30 });
    await Deno.writeTextFile(path, "a: [\n");
    assert.deepEqual(inputs(), { a: 1, b: 30 });
    const { failure, problems } = file.current();
    assert.match(failure?.message ?? "", /^Broken YAML/);
    assert.equal(failure, problems[0]);
    await Deno.writeTextFile(path, "b: { input: 300, output: 1 }\n");
    assert.deepEqual(inputs(), { b: 300 });
    assert.deepEqual(file.current().problems, []);
    await Deno.remove(path);
    assert.deepEqual(inputs(), {});
  }));

Deno.test("parsePriceFile() limits the number of problems, and keeps every valid price", () => {
  const entries = Array.from(
    { length: 150 },
    (_, i) => `good${i}: { input: 1, output: 1, odd: 1 }\nbad${i}: 1`,
  );
  const parsed = parsePriceFile(
    [...entries, "late: { input: -1, output: 1 }"].join("\n"),
    "pricing.yaml",
  );
  assert.deepEqual([parsed.prices.size, parsed.broken.size], [150, 151]);
  const errors = parsed.problems.filter(({ severity }) => severity === "error");
  assert.equal(errors.length, 101);
  assert.deepEqual(parsed.broken.get("bad99"), errors[99]);
  assert.equal(
    errors[100]?.message,
    "There are more broken prices than listed here: fix the listed ones first",
  );
  assert.equal(parsed.broken.get("late"), errors[100]);
  assert.ok(parsed.problems.length <= 250);
});
