// file_read: what it shows, where it stops, and what it says when it cannot read.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileRead } from "../../../runtime/tools/builtin/file_read.ts";
import { boundResult } from "../../../runtime/tools/result_text.ts";
import { call, failureOf, SandboxFixture, testContext } from "../sandbox_fixture.ts";

Deno.test("file_read numbers lines and reads a part", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  await fixture.write("a.txt", "\ufeffone\r\ntwo\n\nfour");
  assert.equal(await call(fileRead, { path: "a.txt" }, context), "1\tone\n2\ttwo\n3\t\n4\tfour");
  assert.equal(
    await call(fileRead, { path: "a.txt", with_line_numbers: false }, context),
    "one\ntwo\n\nfour",
  );
  assert.equal(
    await call(fileRead, { path: "a.txt", offset: 2, limit: 1 }, context),
    "2\ttwo\n(Lines 2-2 are shown; there is more. Continue with offset=3.)",
  );
  assert.equal(await call(fileRead, { path: "a.txt", offset: 4, limit: 9 }, context), "4\tfour");
});

Deno.test("file_read stops at 500 lines and goes on where it stopped", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  const lines = Array.from({ length: 1_234 }, (_, i) => `line ${i + 1}`);
  await fixture.write("long.txt", lines.join("\n") + "\n");
  const seen: string[] = [];
  let offset: number | undefined = 1;
  while (offset !== undefined) {
    const result: string = await call(fileRead, {
      path: "long.txt",
      offset,
      limit: 9_999,
      with_line_numbers: false,
    }, context);
    const next: string | undefined = /\(Lines .*offset=(\d+)\.\)$/.exec(result)?.[1];
    const shown = result.split("\n");
    if (next !== undefined) shown.pop();
    assert.ok(shown.length <= 500);
    seen.push(...shown);
    offset = next === undefined ? undefined : Number(next);
  }
  assert.deepEqual(seen, lines);
});

Deno.test("file_read keeps below the size of a result, its last line included", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  await fixture.write("wide.txt", Array.from({ length: 400 }, () => "ü".repeat(500)).join("\n"));
  const result = await call(fileRead, { path: "wide.txt" }, context);
  assert.equal(boundResult(result, context.redactor), result);
  assert.match(result, /\(Lines 1-\d+ are shown; there is more\. Continue with offset=\d+\.\)$/);
  await fixture.write("one.txt", "é".repeat(200_000) + "\nnext");
  const one = await call(fileRead, { path: "one.txt" }, context);
  assert.equal(boundResult(one, context.redactor), one);
  assert.match(
    one,
    /\(Line 1 is too long to show whole: the rest of it is left out\.\)\n\(Lines 1-1 .*offset=2\.\)$/,
  );
  assert.equal(await call(fileRead, { path: "one.txt", offset: 2 }, context), "2\tnext");
});

Deno.test("file_read shows the last line of a file of any size, and what is behind it", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  const filler = "x".repeat(63) + "\n";
  for (const size of [65_535, 65_536, 65_537, 131_072, 150_000]) {
    const text = filler.repeat(Math.ceil(size / filler.length)).slice(0, size - 4) + "\nend";
    await fixture.write("a.txt", text);
    const total = text.split("\n").length;
    assert.equal(
      await call(fileRead, { path: "a.txt", offset: total }, context),
      `${total}\tend`,
    );
    assert.equal(
      await failureOf(call(fileRead, { path: "a.txt", offset: total + 1 }, context)),
      `"a.txt" has ${total} lines; line ${total + 1} is after its end.`,
    );
  }
});

Deno.test("file_read says why it cannot read", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  await fixture.write("empty.txt", "");
  await fixture.write("two.txt", "1\n2\n");
  await Deno.writeFile(join(fixture.workspace, "b.bin"), new Uint8Array([137, 80, 78, 71, 0, 1]));
  await Deno.writeFile(
    join(fixture.workspace, "c.bin"),
    crypto.getRandomValues(new Uint8Array(500)).map((b) => b | 0x81),
  );
  assert.equal(await call(fileRead, { path: "empty.txt" }, context), "(The file is empty.)");
  const failure = (args: Record<string, unknown>) => failureOf(call(fileRead, args, context));
  assert.equal(
    await failure({ path: "two.txt", offset: 3 }),
    '"two.txt" has 2 lines; line 3 is after its end.',
  );
  assert.equal(
    await failure({ path: "b.bin" }),
    'Cannot read "b.bin": it is a binary file (6 bytes).',
  );
  assert.match(await failure({ path: "c.bin" }), /binary file \(500 bytes\)/);
  assert.equal(await failure({ path: "no.txt" }), 'Cannot read "no.txt": it does not exist.');
  assert.equal(
    await failure({ path: "two.txt/x" }),
    'Cannot read "two.txt/x": a part of the path is a file, not a folder.',
  );
  assert.equal(
    await failure({ path: "notes" }),
    'Cannot read "notes": it is a folder. Use file_glob to see what is in it.',
  );
  await new Deno.Command("mkfifo", { args: [join(fixture.workspace, "pipe")] }).output();
  assert.equal(
    await failure({ path: "pipe" }),
    'Cannot read "pipe": it is not a regular file (a pipe, socket or device).',
  );
});

Deno.test("file_read leaves no half of a secret where it cuts a long line", async () => {
  const value = "sekret-value-1234567890";
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox(), { secrets: [{ name: "APP_TOKEN", value }] });
  for (const shift of [0, 5, 11, 17]) {
    await fixture.write("long.txt", "-".repeat(shift) + value.repeat(10_000));
    const result = await call(fileRead, { path: "long.txt" }, context);
    const [line = ""] = result.split("\n");
    assert.equal(line.slice("1\t".length + shift).replaceAll(value, ""), "");
    assert.match(result, /\(Line 1 is too long to show whole/);
  }
});
