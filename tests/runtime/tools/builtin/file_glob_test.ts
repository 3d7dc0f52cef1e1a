// Tests the matches of file_glob, the entries that it hides, and its limits.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileGlob } from "../../../../runtime/tools/builtin/file_glob.ts";
import { walkGlob } from "../../../../runtime/tools/files/glob_walk.ts";
import { TestClock } from "../../../support/test_clock.ts";
import {
  call,
  failureOf,
  SandboxFixture,
  testContext,
  testInWorkspace as test,
} from "../files/sandbox_fixture.ts";

async function planted(): Promise<SandboxFixture> {
  const fixture = await SandboxFixture.open();
  const cases = [
    ...["a.md", "b.txt", "notes/c.md", "notes/deep/d.md"],
    ...["notes/.hidden/e.md", ".github/f.md", "notes/.env.md"],
  ];
  for (const name of cases) await fixture.write(name, name);
  await Deno.symlink(fixture.outside, join(fixture.workspace, "out"));
  await Deno.symlink("notes", join(fixture.workspace, "in"));
  await Deno.symlink(
    join(fixture.outside, "secret.txt"),
    join(fixture.workspace, "notes/secret.md"),
  );
  await Deno.symlink("c.md", join(fixture.workspace, "notes/same.md"));
  await Deno.symlink("../.env", join(fixture.workspace, "notes/keys.md"));
  return fixture;
}

Deno.test("file_glob lists matching files in order, without hidden, closed and outside files", async () => {
  await using fixture = await planted();
  const context = testContext(fixture.sandbox());
  const glob = (pattern: string) => call(fileGlob, { pattern }, context);
  assert.equal(await glob("**/*.md"), "a.md\nnotes/c.md\nnotes/deep/d.md\nnotes/same.md");
  assert.equal(await glob("*"), "a.md\nb.txt\nnotes/");
  assert.equal(await glob("./notes/*.md"), "notes/c.md\nnotes/same.md");
  assert.equal(await glob("notes/{deep,x}/*"), "notes/deep/d.md");
  assert.equal(await glob("{workspace}/*.txt"), "b.txt");
  assert.equal(await glob(join(fixture.workspace, "notes/deep/*")), "notes/deep/d.md");
  assert.equal(await glob("a.md"), "a.md");
  assert.equal(await glob(".github/*"), ".github/f.md");
  for (const pattern of [".env", "**/.env*", "agents/*", "out/**", "out/secret.txt", "*.sqlite"]) {
    const result = await glob(pattern).catch((error: Error) => error.message);
    assert.match(result, /^\(Nothing matches|outside the allowed paths/, pattern);
  }
});

Deno.test("file_glob searches every declared path", async () => {
  await using fixture = await planted();
  const context = testContext(fixture.sandbox([
    { alias: "notes", path: join(fixture.workspace, "notes/deep") },
    { alias: "far", path: fixture.outside },
    { alias: "one", path: join(fixture.workspace, "a.md") },
  ]));
  const glob = (pattern: string) => call(fileGlob, { pattern }, context);
  assert.equal(await glob("**/*"), "{far}/deep/a.txt\n{far}/secret.txt\n{notes}/d.md\n{one}");
  assert.equal(await glob("{far}/*.txt"), "{far}/secret.txt");
  assert.equal(await glob("{one}"), "{one}");
  assert.equal(await glob("*.md"), "{notes}/d.md\n{one}");
});

Deno.test("file_glob refuses invalid patterns", async () => {
  await using fixture = await planted();
  const context = testContext(fixture.sandbox());
  const failure = (pattern: string) => failureOf(call(fileGlob, { pattern }, context));
  const message = await failure("/etc/*");
  assert.match(message, /^Cannot search for "\/etc\/\*": it lies outside the allowed paths/);
  assert.match(await failure("../outside/*"), /outside the allowed paths/);
  assert.match(await failure("*/../../outside/*"), /"\.\." cannot follow a wildcard/);
  assert.match(await failure("{nope}/*"), /Unknown path alias \{nope\}/);
  assert.match(await failure(" "), /pattern is empty/);
  assert.match(
    await failure("a\0*"),
    /The pattern contains a NUL character, which is not allowed\./,
  );
  const expected = /^The pattern is too complicated: its braces stand for more than 100 patterns/;
  assert.match(await failure("{a,aa}".repeat(24)), expected);
  const sentence = await failure("a?".repeat(600));
  assert.match(sentence, /too complicated: it has more than 1000 characters/);
});

test("file_glob lists 100 files, and continues at an offset", async (fixture) => {
  await fixture.write("many/001.txt", "");
  for (let i = 2; i <= 220; i++) {
    Deno.writeTextFileSync(join(fixture.workspace, `many/${String(i).padStart(3, "0")}.txt`), "");
  }
  const list = async (offset: number) =>
    (await fixture.call(fileGlob, { pattern: "many/*", offset })).split("\n");
  const first = await list(1);
  assert.deepEqual([first.length, first[0], first[99]], [101, "many/001.txt", "many/100.txt"]);
  assert.equal(
    first[100],
    "(1-100 of 220 are shown. Continue with offset=101, or narrow the pattern.)",
  );
  assert.deepEqual((await list(101)).slice(99), [
    "many/200.txt",
    "(101-200 of 220 are shown. Continue with offset=201, or narrow the pattern.)",
  ]);
  const rest = await list(201);
  assert.deepEqual([rest.length, rest[0], rest[19]], [20, "many/201.txt", "many/220.txt"]);
  assert.deepEqual(await list(221), ["(There are 220 files; offset 221 is after the last.)"]);
});

test("file_glob lists the newest files first", async (fixture) => {
  const day = (number: number) => new Date(Date.UTC(2026, 0, number));
  await Deno.mkdir(join(fixture.workspace, "log"));
  for (let i = 1; i <= 120; i++) {
    const path = join(fixture.workspace, `log/${String(i).padStart(3, "0")}.txt`);
    Deno.writeTextFileSync(path, "");
    Deno.utimeSync(path, day(1), day(i % 60));
  }
  await Deno.symlink("119.txt", join(fixture.workspace, "log/link.txt"));
  const list = async (offset: number) =>
    (await fixture.call(fileGlob, { pattern: "log/*", newest_first: true, offset })).split("\n");
  // A symlink has the time of its target. Files of the same time are sorted by path.
  const expected = ["log/059.txt", "log/119.txt", "log/link.txt", "log/058.txt", "log/118.txt"];
  assert.deepEqual((await list(1)).slice(0, 5), expected);
  assert.deepEqual((await list(101)).slice(-2), ["log/060.txt", "log/120.txt"]);
});

Deno.test("walkGlob() stops at its limits and when it is cancelled", async () => {
  await using fixture = await planted();
  const bounds = {
    maxEntries: 3,
    maxMs: 1_000,
    clock: new TestClock(),
    signal: new AbortController().signal,
  };
  const text = (await walkGlob(fixture.sandbox(), "**/*", bounds)).stopped;
  assert.equal(text, "after 3 entries");
  let now = 0;
  const fast = { now: () => now += 600, sleep: () => Promise.resolve() };
  assert.equal(
    (await walkGlob(fixture.sandbox(), "**/*", { ...bounds, maxEntries: 1_000, clock: fast }))
      .stopped,
    "after 1 seconds",
  );
  const signal = AbortSignal.abort(new Error("cancelled"));
  const message = "cancelled";
  await assert.rejects(walkGlob(fixture.sandbox(), "**/*", { ...bounds, signal }), { message });
  const hour = { now: () => now += 3_600_000, sleep: () => Promise.resolve() };
  const context = testContext(fixture.sandbox(), { clock: hour });
  const expected = /\(The search was stopped .+: there may be more\. Name a folder to search\.\)$/;
  assert.match(await call(fileGlob, { pattern: "**/*.md" }, context), expected);
});

test("walkGlob() yields between the files of a folder for long lists in braces", async (fixture) => {
  const names = Array.from({ length: 150 }, (_, i) => `many/${"a".repeat(100)}${i}.txt`);
  await Deno.mkdir(join(fixture.workspace, "many"));
  for (const name of names) Deno.writeTextFileSync(join(fixture.workspace, name), "");
  const pattern = `many/{${Array.from({ length: 100 }, (_, i) => `*a*b${i}`).join(",")}}`;
  let looked = 0;
  let most = 0;
  // The walk reads this clock at each entry, so the readings count the entries.
  const clock = { now: () => looked++, sleep: () => Promise.resolve() };
  const { signal } = new AbortController();
  const bounds = { maxEntries: 10_000, maxMs: Infinity, clock, signal };
  let before = 0;
  const turn = () => {
    most = Math.max(most, looked - before);
    before = looked;
  };
  const others = setInterval(turn, 0);
  try {
    await Promise.all(
      Array.from({ length: 2 }, () => walkGlob(fixture.sandbox(), pattern, bounds)),
    );
    turn();
  } finally {
    clearInterval(others);
  }
  assert.ok(looked >= 2 * names.length);
  assert.ok(most < names.length, `${most} entries without a turn`);
});
