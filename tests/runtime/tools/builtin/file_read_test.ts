// Tests the output of file_read, its limits, and its error messages.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileRead } from "../../../../runtime/tools/builtin/file_read.ts";
import type { ToolContext } from "../../../../runtime/tools/definition/tool.ts";
import {
  call,
  failureOf,
  SandboxFixture,
  testContext,
  testInWorkspace as test,
} from "../files/sandbox_fixture.ts";

test("file_read numbers lines, and reads a part of a file", async (fixture) => {
  await fixture.write("a.txt", "\ufeffone\r\ntwo\n\nfour");
  assert.equal(await fixture.call(fileRead, { path: "a.txt" }), "1\tone\n2\ttwo\n3\t\n4\tfour");
  const text = await fixture.call(fileRead, { path: "a.txt", with_line_numbers: false });
  assert.equal(text, "one\ntwo\n\nfour");
  const expected = "2\ttwo\n(Lines 2-2 are shown; there is more. Continue with offset=3.)";
  assert.equal(await fixture.call(fileRead, { path: "a.txt", offset: 2, limit: 1 }), expected);
  assert.equal(await fixture.call(fileRead, { path: "a.txt", offset: 4, limit: 9 }), "4\tfour");
});

test("file_read returns 256 KB and explains how to continue", async (fixture) => {
  const line = "ü".repeat(500);
  await fixture.write("wide.txt", Array.from({ length: 400 }, () => line).join("\r\n"));
  const wide = await fixture.call(fileRead, { path: "wide.txt", with_line_numbers: false });
  const { shown, next } = partOf(wide);
  assert.equal(shown.length, Math.floor(256 * 1024 / (2 * line.length + 1)));
  assert.deepEqual(new Set(shown), new Set([line]));
  assert.deepEqual(next, { offset: shown.length + 1 });
  await fixture.write("one.txt", "é".repeat(200_000) + "\nnext");
  const one = await fixture.call(fileRead, { path: "one.txt" });
  const room = (256 * 1024 - "1\t".length) / 2;
  assert.ok(one.startsWith("1\t" + "é".repeat(room) + "\n(Line 1 is cut here."));
  assert.deepEqual(partOf(one).next, { offset: 1, column: room + 1 });
  const text = await fixture.call(fileRead, { path: "one.txt", ...partOf(one).next });
  assert.equal(text, `1\t${"é".repeat(200_000 - room)}\n2\tnext`);
  assert.equal(await fixture.call(fileRead, { path: "one.txt", offset: 2 }), "2\tnext");
  assert.ok(bytesOf(wide) <= (fileRead.maxResultBytes ?? 0));
  assert.ok(bytesOf(one) <= (fileRead.maxResultBytes ?? 0));
});

test("file_read returns a whole file through the calls that it suggests", async (fixture) => {
  // In these texts, cuts and the ends of chunks split characters of every length.
  const texts = [
    "\ufeffa".repeat(3) + "aé€😀".repeat(60_000) + "\r\n\r\nshort\n" + "😀".repeat(70_000),
    "x" + "😀".repeat(90_000) + "\n\n",
    "x".repeat(256 * 1024) + "\nend",
    "y".repeat(256 * 1024 - 1) + "\n" + "z".repeat(256 * 1024 + 1),
    Array.from({ length: 1_234 }, (_, i) => `line ${i + 1}\n`).join(""),
  ];
  for (const text of texts) {
    await fixture.write("a.txt", text);
    const parts = await readParts("a.txt", fixture.context);
    assert.ok(parts.every((part) => part.trim().split("\n").length <= 500));
    const expected = text.replace(/^\ufeff/, "").replaceAll("\r", "").replace(/\n$/, "");
    assert.equal(parts.join(""), expected);
  }
  // A long line with invalid UTF-8.
  const bytes = new Uint8Array(700_000).map((_, i) => i % 40 === 0 ? 0xe4 : 97 + i % 26);
  await Deno.writeFile(join(fixture.workspace, "a.txt"), bytes);
  const shown = (await readParts("a.txt", fixture.context)).join("");
  assert.equal(shown, new TextDecoder().decode(bytes));
});

test("file_read begins at a column, and refuses a column after the line's end", async (fixture) => {
  await fixture.write("a.txt", "one\r\ntwo 😀!\nthree\n");
  const read = (args: Record<string, unknown>) =>
    fixture.call(fileRead, { path: "a.txt", ...args });
  assert.equal(await read({ column: 3 }), "1\te\n2\ttwo 😀!\n3\tthree");
  const text = await read({ offset: 2, column: 5, limit: 1 });
  assert.equal(text, "2\t😀!\n(Lines 2-2 are shown; there is more. Continue with offset=3.)");
  // A column within a character shows the whole character.
  assert.equal(await read({ offset: 2, column: 6 }), "2\t😀!\n3\tthree");
  assert.equal(await read({ offset: 3, column: 6 }), "3\t");
  const message = await failureOf(read({ offset: 3, column: 7 }));
  assert.equal(message, 'Line 3 of "a.txt" has 5 characters; column 7 is after its end.');
  const sentence = await failureOf(read({ offset: 2, column: 12 }));
  assert.equal(sentence, 'Line 2 of "a.txt" has 7 characters; column 12 is after its end.');
  await fixture.write("long.txt", "x".repeat(900_000) + "\nend");
  const expected = "1\txx\n2\tend";
  assert.equal(await fixture.call(fileRead, { path: "long.txt", column: 899_999 }), expected);
  assert.equal(
    await failureOf(fixture.call(fileRead, { path: "long.txt", column: 950_000 })),
    'Line 1 of "long.txt" has 900000 characters; column 950000 is after its end.',
  );
});

test("file_read returns the last line of a file, and refuses the line after it", async (fixture) => {
  const filler = "x".repeat(63) + "\n";
  for (const size of [65_535, 65_536, 65_537, 131_072, 150_000]) {
    const text = filler.repeat(Math.ceil(size / filler.length)).slice(0, size - 4) + "\nend";
    await fixture.write("a.txt", text);
    const total = text.split("\n").length;
    assert.equal(
      await fixture.call(fileRead, { path: "a.txt", offset: total }),
      `${total}\tend`,
    );
    const message = await failureOf(
      fixture.call(fileRead, { path: "a.txt", offset: total + 1 }),
    );
    assert.equal(message, `"a.txt" has ${total} lines; line ${total + 1} is after its end.`);
  }
});

test("file_read reports the reason of a failure", async (fixture) => {
  await fixture.write("empty.txt", "");
  await fixture.write("two.txt", "1\n2\n");
  await Deno.writeFile(join(fixture.workspace, "b.bin"), new Uint8Array([137, 80, 78, 71, 0, 1]));
  await Deno.writeFile(
    join(fixture.workspace, "c.bin"),
    crypto.getRandomValues(new Uint8Array(500)).map((b) => b | 0x81),
  );
  assert.equal(await fixture.call(fileRead, { path: "empty.txt" }), "(The file is empty.)");
  const failure = (args: Record<string, unknown>) => failureOf(fixture.call(fileRead, args));
  const message = await failure({ path: "two.txt", offset: 3 });
  assert.equal(message, '"two.txt" has 2 lines; line 3 is after its end.');
  const sentence = await failure({ path: "b.bin" });
  assert.equal(sentence, 'Cannot read "b.bin": it is a binary file (6 bytes).');
  assert.match(await failure({ path: "c.bin" }), /binary file \(500 bytes\)/);
  assert.equal(await failure({ path: "no.txt" }), 'Cannot read "no.txt": it does not exist.');
  const expected = 'Cannot read "two.txt/x": a part of the path is a file, not a folder.';
  assert.equal(await failure({ path: "two.txt/x" }), expected);
  const wanted = 'Cannot read "notes": it is a folder. Use file_glob to see what is in it.';
  assert.equal(await failure({ path: "notes" }), wanted);
  await new Deno.Command("mkfifo", { args: [join(fixture.workspace, "pipe")] }).output();
  const due = 'Cannot read "pipe": it is not a regular file (a pipe, socket or device).';
  assert.equal(await failure({ path: "pipe" }), due);
});

Deno.test("file_read cuts before a secret, and continues with the whole secret", async () => {
  const value = "sekret-value-1234567890";
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox(), { secrets: [{ name: "APP_TOKEN", value }] });
  for (const shift of [0, 5, 11, 17]) {
    const text = "-".repeat(shift) + value.repeat(25_000);
    await fixture.write("long.txt", text);
    const parts = await readParts("long.txt", context);
    assert.ok(parts.length > 2);
    for (const part of parts) assert.match(part, /^-*(sekret-value-1234567890)+$/);
    assert.equal(parts.join(""), text);
  }
});

Deno.test("file_read returns no part of a secret at any start column", async () => {
  const secrets = [
    { name: "LONG_TOKEN", value: "sekret-value-1234567890" },
    { name: "NEXT_TOKEN", value: '7890,"and-more' },
    { name: "SELF_TOKEN", value: "ababababab" },
  ];
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox(), { secrets });
  const hidden = [
    "sekret-value-1234567890",
    // Two secrets that overlap, one of them in JSON notation, and one that overlaps with itself.
    'sekret-value-1234567890,\\"and-more',
    "ab".repeat(9),
  ];
  // The text before the secret: empty, longer than the part that the reader keeps, and longer than a chunk.
  for (const before of ["", "x".repeat(70_000), "x".repeat(600_000)]) {
    for (const secret of hidden) {
      await fixture.write("a.txt", `${before}${secret}, and on`);
      const read = async (column: number) =>
        await call(fileRead, { path: "a.txt", column, with_line_numbers: false }, context);
      const step = before === "" ? 1 : 8;
      for (let inside = 1; inside < secret.length; inside += step) {
        const column = before.length + 1 + inside;
        const behind = before.length + 1 + secret.length;
        const expected =
          `, and on\n(Column ${column} is inside a secret, which is left out, up to column ${behind}.)`;
        assert.equal(await read(column), expected);
      }
      assert.equal(await read(before.length + 1), `${secret}, and on`);
      assert.equal(await read(before.length + 1 + secret.length), ", and on");
    }
  }
});

test("file_read makes progress if a secret that overlaps itself fills a line", async (fixture) => {
  const secrets = [{ name: "APP_TOKEN", value: "aaaaaaaa" }];
  const context = testContext(fixture.sandbox(), { secrets });
  await fixture.write("a.txt", "a".repeat(600_000) + " end");
  const parts = await readParts("a.txt", context);
  assert.match(parts.join(""), /^a+ end$/);
});

/** Parses a result without line numbers into the shown text and the arguments of the suggested next call. */
function partOf(result: string): { shown: string[]; next?: { offset: number; column?: number } } {
  const shown = result.split("\n");
  const [, offset, column] =
    /continue with offset=(\d+)(?:, column=(\d+))?/i.exec(shown.at(-1) ?? "") ?? [];
  while (shown.at(-1)?.startsWith("(")) shown.pop();
  if (offset === undefined) return { shown };
  return {
    shown,
    next: { offset: Number(offset), ...(column !== undefined && { column: Number(column) }) },
  };
}

/** Reads a whole file, following each suggested call. Each part after the end of a line begins with that line ending. */
async function readParts(path: string, context: ToolContext): Promise<string[]> {
  const parts: string[] = [];
  for (let next: ReturnType<typeof partOf>["next"] = { offset: 1 }; next !== undefined;) {
    const args = { path, ...next, with_line_numbers: false };
    const part = partOf(await call(fileRead, args, context));
    const isNewLine = next.column === undefined && parts.length > 0;
    parts.push((isNewLine ? "\n" : "") + part.shown.join("\n"));
    assert.notDeepEqual(part.next, next, "it gets on");
    next = part.next;
  }
  return parts;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
