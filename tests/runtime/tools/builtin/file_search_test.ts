// Tests the matches of file_search, the files that it passes over, its limits, and its protection of secrets.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileSearch } from "../../../../runtime/tools/builtin/file_search.ts";
import { TestClock } from "../../../support/test_clock.ts";
import {
  call,
  CANARY,
  failureOf,
  SandboxFixture,
  testContext,
  testInWorkspace as test,
} from "../files/sandbox_fixture.ts";

async function find(
  { context }: Pick<SandboxFixture, "context">,
  pattern: string,
  options = {},
): Promise<string> {
  return await call(fileSearch, { pattern, ...options }, context);
}

/** Returns the shown paths of the files with the only line "hit", or the lines of another result. */
async function filesOf(of: Pick<SandboxFixture, "context">, path?: string): Promise<string[]> {
  const shown = await find(of, "hit", path === undefined ? {} : { path });
  return shown.split("\n").map((one) => one.replace(":1: hit", ""));
}

test("file_search shows path, line and text, sorted by path", async (fixture) => {
  await fixture.write("b.txt", "one\ntwo apples\r\nthree\r\nan apple");
  await fixture.write("a/deep.txt", "\ufeffApple\npear.\n");
  await fixture.write(".github/c.yml", "apple: 1\n");
  assert.equal(
    await find(fixture, "apple"),
    ".github/c.yml:1: apple: 1\nb.txt:2: two apples\nb.txt:4: an apple",
  );
  assert.equal(await find(fixture, "^apple$", { ignore_case: true }), "a/deep.txt:1: Apple");
  assert.equal(await find(fixture, "apples$"), "b.txt:2: two apples");
  assert.equal(await find(fixture, "(one|three)\\b"), "b.txt:1: one\nb.txt:3: three");
  assert.equal(await find(fixture, "pear.", { literal: true }), "a/deep.txt:2: pear.");
  assert.equal(await find(fixture, "p.a", { literal: true }), "(Nothing matches p.a.)");
  assert.equal(await find(fixture, "\\d"), ".github/c.yml:1: apple: 1");
  assert.equal(await find(fixture, "\\Aone\\z"), "b.txt:1: one");
});

test("file_search searches a file, a folder or a glob, in every declared path", async (fixture) => {
  for (const name of ["x/a.ts", "x/deep/b.ts", "x/c.md", "y/a.ts"]) {
    await fixture.write(name, "hit");
  }
  await Deno.writeTextFile(join(fixture.outside, "far.ts"), "hit");
  const context = testContext(fixture.sandbox([
    { alias: "x", path: join(fixture.workspace, "x") },
    { alias: "far", path: fixture.outside },
  ]));
  const files = (path?: string) => filesOf({ context }, path);
  assert.deepEqual(await files(), ["{far}/far.ts", "{x}/a.ts", "{x}/c.md", "{x}/deep/b.ts"]);
  assert.deepEqual(await files("{x}/deep"), ["{x}/deep/b.ts"]);
  assert.deepEqual(await files("deep/"), ["{x}/deep/b.ts"]);
  assert.deepEqual(await files("{x}/c.md"), ["{x}/c.md"]);
  assert.deepEqual(await files("**/*.ts"), ["{far}/far.ts", "{x}/a.ts", "{x}/deep/b.ts"]);
  assert.deepEqual(await files("{x}/none"), ["(No file to search in {x}/none.)"]);
  const message = await failureOf(find({ context }, "hit", { path: "{workspace}/../home" }));
  assert.match(message, /outside the allowed paths/);
});

test("file_search passes over what .gitignore names, unless the path names it", async (fixture) => {
  await fixture.write(".gitignore", "dist/\n*.log\n!keep.log\nOnly\n");
  await fixture.write("src/.gitignore", "gen\n!a.log\n");
  const names = ["a.ts", "dist/out/b.ts", "c.log", "keep.log", "src/a.log", "src/gen/d.ts"];
  names.push("node_modules/p/e.ts", "src/node_modules/f.ts", ".git/config", "only", "gen/g.ts");
  for (const name of names) await fixture.write(name, "hit");
  const files = (path?: string) => filesOf(fixture, path);
  assert.deepEqual(await files(), ["a.ts", "gen/g.ts", "keep.log", "only", "src/a.log"]);
  assert.deepEqual(await files("src"), ["src/a.log"]);
  assert.deepEqual(await files("dist"), ["dist/out/b.ts"]);
  assert.deepEqual(await files("dist/out/*.ts"), ["dist/out/b.ts"]);
  assert.deepEqual(await files("c.log"), ["c.log"]);
  assert.deepEqual(await files("node_modules"), ["node_modules/p/e.ts"]);
  assert.deepEqual(await files("**/node_modules/**/*.ts"), [
    "node_modules/p/e.ts",
    "src/node_modules/f.ts",
  ]);
  assert.deepEqual(await files(".git/config"), [".git/config"]);
});

Deno.test("file_search never opens closed places, and follows symlinks only inside the agent's paths", async () => {
  await using fixture = await SandboxFixture.open();
  await fixture.write("notes/a.txt", CANARY);
  await Deno.symlink("a.txt", join(fixture.workspace, "notes/same.txt"));
  await Deno.symlink("notes", join(fixture.workspace, "folder"));
  const targets = {
    "out.txt": "outside/secret.txt",
    "env.txt": "workspace/.env",
    "agent.txt": "workspace/agents/me.md",
    "database.txt": "state/inkling.db",
  };
  for (const [name, target] of Object.entries(targets)) {
    await Deno.symlink(join(fixture.base, target), join(fixture.workspace, name));
  }
  await Deno.symlink(fixture.outside, join(fixture.workspace, "outside"));
  const context = testContext(fixture.sandbox());
  const expected = ["notes/a.txt:1: ", "notes/same.txt:1: "].map((one) => one + CANARY).join("\n");
  assert.equal(await find({ context }, CANARY, { literal: true }), expected);
  assert.equal(await find({ context }, "CANARY.content"), expected);
  for (
    const path of [".env", "out.txt", "agents", "agents/me.md", "outside/secret.txt", "../outside"]
  ) {
    const result = await find({ context }, "CANARY", { path }).catch((error: Error) =>
      error.message
    );
    assert.match(result, /^\(No file to search|outside the allowed paths/, path);
  }
});

test("file_search passes over binary files", async (fixture) => {
  await fixture.write("text.txt", "needle");
  await fixture.write("nul.bin", "needle\0");
  await fixture.write("large.bin", "\0".repeat(10) + "x\n".repeat(100_000) + "needle\n");
  await fixture.write("noise.bin", "\u0001\u0002\u0003needle\u0004\u0005");
  assert.equal(await find(fixture, "needle"), "text.txt:1: needle");
});

test("file_search searches a binary file that the path names", async (fixture) => {
  await fixture.write("data/nul.bin", "needle\0\nnone\n");
  await fixture.write("data/large.bin", "\0".repeat(10) + "x\n".repeat(100_000) + "needle\n");
  assert.equal(await find(fixture, "needle", { path: "data" }), "(Nothing matches needle.)");
  const search = (path: string) => find(fixture, "needle", { path });
  assert.equal(await search("data/nul.bin"), "data/nul.bin:1: needle\ufffd");
  assert.equal(await search("./data/large.bin"), "data/large.bin:100001: needle");
});

test("file_search numbers the lines of a long file, and shows lines around a match", async (fixture) => {
  const lines = Array.from({ length: 9_999 }, (_, index) => `line ${index + 1} é`);
  await fixture.write("long.txt", lines.join("\n") + "\n");
  assert.equal(await find(fixture, "line 9998\\b"), "long.txt:9998: line 9998 é");
  // The lines between two matches are shown once.
  const near = await find(fixture, "line (2|4|9|9999) ", { context: 1 });
  const shown = [1, 2, 3, 4, 5, 0, 8, 9, 10, 0, 9998, 9999].map((number) => {
    const mark = [2, 4, 9, 9999].includes(number) ? ":" : "-";
    return number === 0 ? "--" : `long.txt${mark}${number}${mark} line ${number} é`;
  });
  assert.equal(near, shown.join("\n"));
  // The context of every line is the same, also beside the end of the file's first read, in line 5126.
  const pattern = `line (${Array.from({ length: 60 }, (_, at) => 5_000 + at * 8).join("|")}) `;
  const found = await find(fixture, pattern, { context: 10 });
  const numbers = found.split("\n").map((one) => Number(/\d+/.exec(one)?.[0]));
  assert.deepEqual(numbers, Array.from({ length: 493 }, (_, at) => 4_990 + at));
});

test("file_search shows 200 matches and continues at an offset", async (fixture) => {
  for (const name of ["a.txt", "b.txt"]) {
    await fixture.write(name, Array.from({ length: 150 }, (_, at) => `hit ${at}`).join("\n"));
  }
  const first = (await find(fixture, "hit")).split("\n");
  assert.equal(first.length, 201);
  assert.equal(first[199], "b.txt:50: hit 49");
  assert.equal(first[200], "(Matches 1-200 of 300 are shown. Continue with offset=201.)");
  const second = (await find(fixture, "hit", { offset: 201 })).split("\n");
  assert.deepEqual([second.length, second[0], second[99]], [
    100,
    "b.txt:51: hit 50",
    "b.txt:150: hit 149",
  ]);
  const none = await find(fixture, "hit", { offset: 301 });
  assert.equal(none, "(There are 300 matches; offset 301 is after the last.)");
});

test("file_search shows at most 64 KB and cuts long lines around the match", async (fixture) => {
  await fixture.write("wide.txt", `${"x".repeat(3_000)} needle ${"y".repeat(3_000)}`);
  for (const pattern of ["needle", "n.edle", "\\s\\w{6}\\s"]) {
    assert.match(await find(fixture, pattern), /^wide\.txt:1: …x{95,101} needle y{380,400}…$/);
  }
  await fixture.write("wide.txt", `${"é".repeat(400)}\n`.repeat(200));
  const lines = (await find(fixture, "é")).split("\n");
  assert.ok(new TextEncoder().encode(lines.slice(0, -1).join("\n")).length <= 64 * 1024);
  const last = lines.length - 1;
  assert.equal(
    lines[last],
    `(Matches 1-${last} of 200 are shown. Continue with offset=${last + 1}.)`,
  );
  assert.match(
    await find(fixture, "é", { offset: last + 1 }),
    new RegExp(`^wide.txt:${last + 1}: é`),
  );
  // A line that is longer than one read is searched in parts.
  await fixture.write("wide.txt", `${"z".repeat(500_000)}needle`);
  assert.match(await find(fixture, "needle"), /^wide\.txt:1: …z+needle$/);
});

test("file_search does not find the text of a secret", async (fixture) => {
  await fixture.write("notes.txt", "key=sk-very-secret-4711;\nplain\n");
  const context = testContext(fixture.sandbox(), {
    secrets: [{ name: "API_KEY", value: "sk-very-secret-4711" }],
  });
  for (const pattern of ["very", "key=s", "secret-\\d", "47"]) {
    assert.match(await find({ context }, pattern), /^\(Nothing matches/);
  }
  assert.equal(await find({ context }, "key="), "notes.txt:1: key=[redacted:API_KEY];");
});

test("file_search refuses invalid patterns with a reason", async (fixture) => {
  await fixture.write("a.txt", "text");
  const failure = (pattern: string, options = {}) => failureOf(find(fixture, pattern, options));
  assert.match(await failure("a(b"), /^The pattern is not valid: missing closing \): `a\(b`/);
  assert.match(await failure("(?=a)"), /no lookahead, lookbehind or backreference/);
  assert.match(await failure("(a)\\1"), /invalid escape sequence: `\\1`/);
  assert.match(await failure("a\nb", { literal: true }), /within one line/);
  assert.match(await failure("a\\nb"), /within one line/);
  assert.match(await failure("a".repeat(1_001)), /too long: 1001 characters, at most 1000/);
  assert.match(await failure("[a-z]{900}[a-z]{900}[a-z]{900}"), /too complicated/);
  assert.match(await failure(""), /"pattern"/);
});

test("file_search reports that it stopped early, and ends when it is cancelled", async (fixture) => {
  for (const name of ["a.txt", "b.txt", "c.txt"]) await fixture.write(name, "hit");
  const clock = new TestClock();
  const now = clock.now();
  let looks = 0;
  clock.now = () => now + 3_000 * looks++;
  const stopped = await find({ context: testContext(fixture.sandbox(), { clock }) }, "hit");
  assert.match(
    stopped,
    /\(The search was stopped .*after 20 seconds: there may be more\. Name a folder to search\.\)$/,
  );
  const signal = AbortSignal.abort(new Error("cancelled"));
  const context = testContext(fixture.sandbox(), { signal });
  await assert.rejects(find({ context }, "hit"), { message: "cancelled" });
});
