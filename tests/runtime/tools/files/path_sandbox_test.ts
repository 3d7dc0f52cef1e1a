// Tests the access rules of PathSandbox, one by one. proof/fuzz/targets/path_target.ts tests random paths.
import assert from "node:assert/strict";
import { join } from "node:path";
import { PathSandbox } from "../../../../runtime/tools/files/path_sandbox.ts";
import { failureOf, testInWorkspace as test } from "./sandbox_fixture.ts";

test("PathSandbox.resolve() accepts relative, absolute, {workspace} and ~ paths", async (fixture) => {
  await fixture.write("notes/a.md", "a");
  const sandbox = fixture.sandbox([
    { alias: "ws", path: fixture.workspace },
    { alias: "home", path: fixture.home },
  ]);
  const file = join(fixture.workspace, "notes/a.md");
  const cases = [
    ...["notes/a.md", "./notes/../notes//a.md", file],
    ...["{workspace}/notes/a.md", "{ws}/notes/a.md"],
  ];
  for (const text of cases) {
    const resolved = await sandbox.resolve(text, "read");
    assert.equal(resolved.path, file, text);
    assert.deepEqual([resolved.display, resolved.exists], ["{ws}/notes/a.md", true]);
  }
  const found = (await sandbox.resolve("~/secret.txt", "read")).path;
  assert.equal(found, join(fixture.home, "secret.txt"));
  assert.equal((await sandbox.resolve("notes/new.md", "write")).exists, false);
});

test("PathSandbox.resolve() refuses paths outside the roots, and lists the roots", async (fixture) => {
  const sandbox = fixture.sandbox([{ alias: "notes", path: join(fixture.workspace, "notes") }]);
  // deno-fmt-ignore
  const texts = [
    "../outside/secret.txt", "/etc/passwd", "~/secret.txt", "other.md", "{notes}/../x", "~",
    "{notes}x",
  ];
  for (const text of texts) {
    const expected = `Cannot read "${text}": it lies outside the allowed paths. Allowed: {notes}.`;
    assert.equal(await failureOf(sandbox.resolve(text, "read")), expected);
  }
  const wanted =
    'Unknown path alias {nots}. Known aliases: {notes}, {workspace}. A file that really has this name is written "./{nots}".';
  assert.equal(await failureOf(sandbox.resolve("{nots}/a", "read")), wanted);
});

test("PathSandbox.resolve() follows symlinks before it checks a path", async (fixture) => {
  const link = (target: string, name: string) =>
    Deno.symlink(target, join(fixture.workspace, name));
  await fixture.write("notes/a.md", "a");
  await link(join(fixture.outside, "secret.txt"), "out.txt");
  await link(fixture.outside, "out");
  await link("notes", "in");
  await link(".env", "harmless.txt");
  await link("agents", "team");
  await link("../outside/new.txt", "dangling");
  await link("circle", "circle");
  const sandbox = fixture.sandbox();
  assert.equal((await sandbox.resolve("in/a.md", "read")).display, "notes/a.md");
  for (const text of ["out.txt", "out", "out/deep/a.txt", "out/new.txt"]) {
    const expected = /outside the allowed paths/;
    assert.match(await failureOf(sandbox.resolve(text, "write")), expected, text);
  }
  assert.match(await failureOf(sandbox.resolve("harmless.txt", "read")), /environment files/);
  const message = await failureOf(sandbox.resolve("team/me.md", "read"));
  assert.match(message, /the agents folder is closed/);
  const sentence = await failureOf(sandbox.resolve("dangling", "write"));
  assert.match(sentence, /symbolic link to something that does not exist/);
  assert.match(await failureOf(sandbox.resolve("circle", "read")), /go round in a circle/);
});

test("PathSandbox.resolve() refuses agents, config and state folders inside a declared path", async (fixture) => {
  const sandbox = fixture.sandbox([{ alias: "all", path: fixture.base }]);
  const sentences: Record<string, RegExp> = {
    "agents": /the agents folder is closed to agents/,
    "agents/me.md": /the agents folder/,
    "agents/sub/new.md": /the agents folder/,
    "{all}/config/config.yaml": /the configuration folder/,
    "{all}/state/inkling.db": /the service's state folder/,
  };
  for (const [text, sentence] of Object.entries(sentences)) {
    assert.match(await failureOf(sandbox.resolve(text, "read")), sentence);
  }
  assert.equal((await sandbox.resolve("agents2/me.md", "write")).exists, false);
  const root = fixture.sandbox([{ alias: "root", path: "/" }]);
  for (const path of ["proc/self/status", "sys/class/net", "dev/null"]) {
    const message = await failureOf(root.resolve(`{root}/${path}`, "read"));
    assert.match(message, /\/\w+ is the system's own and closed to agents/);
  }
});

test("PathSandbox.resolve() refuses environment files, and writing to database files", async (fixture) => {
  const sandbox = fixture.sandbox();
  const cases = [
    ...[".env", ".ENV", ".Env.local", "a/.envrc/b", ".env ", ".env.", ".e\u200bnv", ".ｅｎｖ"],
  ];
  for (const name of cases) {
    assert.match(await failureOf(sandbox.resolve(name, "read")), /environment files/, name);
  }
  for (const name of ["a.db", "a.DB", "a.db-wal", "x.sqlite3", "b.SQLite", "data.db/x.txt"]) {
    assert.match(await failureOf(sandbox.resolve(name, "write")), /database files/, name);
    await sandbox.resolve(name, "read");
  }
  for (const name of ["env", "my.env", "environment.md", "db.txt", "sqlite.md"]) {
    await sandbox.resolve(name, "write");
  }
});

test("PathSandbox.resolve() refuses writing to a declared database file or folder", async (fixture) => {
  await fixture.write("data.sqlite", "");
  await fixture.write("store.db/a.txt", "a");
  const at = (name: string) => join(fixture.workspace, name);
  const sandbox = fixture.sandbox([
    { alias: "data", path: at("data.sqlite") },
    { alias: "store", path: at("store.db") },
  ]);
  for (const text of ["data.sqlite", "{data}", at("data.sqlite"), "{store}/a.txt", "{store}/new"]) {
    await sandbox.resolve(text, "read");
    const expected =
      `Cannot write "${text}": database files (*.db*, *.sqlite*) cannot be written by agents.`;
    assert.equal(await failureOf(sandbox.resolve(text, "write")), expected);
  }
});

test("PathSandbox.resolve() refuses a closed name that is a symlink to an allowed file", async (fixture) => {
  await fixture.write("notes/a.md", "a");
  const target = join(fixture.workspace, "notes/a.md");
  await Deno.remove(join(fixture.workspace, ".env"));
  const sandbox = fixture.sandbox();
  const sentences: Record<string, RegExp> = {
    ".env": /environment files/,
    "agents/x.md": /the agents folder is closed/,
    "linked.db": /database files .* cannot be written/,
  };
  for (const [name, sentence] of Object.entries(sentences)) {
    await Deno.symlink(target, join(fixture.workspace, name));
    assert.match(await failureOf(sandbox.resolve(name, "write")), sentence);
    assert.match(await failureOf(sandbox.resolveEntry(name)), sentence);
    if (name !== "linked.db") {
      assert.match(await failureOf(sandbox.resolve(name, "read")), sentence);
    }
  }
  assert.equal((await sandbox.resolve("linked.db", "read")).path, target);
});

test("PathSandbox.resolve() accepts only the declared paths", async (fixture) => {
  const { workspace, base, outside } = fixture;
  await fixture.write("notes/a.md", "a");
  await fixture.write("notes/a.md.bak", "b");
  await Deno.mkdir(join(base, "app.db.d", "ws"), { recursive: true });
  await Deno.symlink(outside, join(workspace, "linked"));
  const sandbox = fixture.sandbox([
    { alias: "only", path: join(workspace, "notes/a.md") },
    // The check of database names ignores the folders above a root.
    { alias: "ws", path: join(base, "app.db.d", "ws") },
    { alias: "linked", path: join(workspace, "linked") },
  ]);
  assert.equal((await sandbox.resolve("{only}", "write")).display, "{only}");
  for (const text of ["notes", "notes/a.md.bak", "{only}/../b.md", "notes/b.md"]) {
    assert.match(await failureOf(sandbox.resolve(text, "read")), /outside/, text);
  }
  await sandbox.resolve("{ws}/a.md", "write");
  const { path, display } = await sandbox.resolve("{linked}/secret.txt", "read");
  assert.deepEqual([path, display], [join(outside, "secret.txt"), "{linked}/secret.txt"]);
});

test("PathSandbox.resolve() refuses writing to watched paths, and to the files of a watched pattern", async (fixture) => {
  const matches = (path: string) => path.endsWith(".pdf");
  const sandbox = new PathSandbox({
    ...fixture.options([{ alias: "notes", path: join(fixture.workspace, "notes") }], ["inbox"]),
    readableFiles: [{ folder: fixture.outside, matches }],
  });
  for (const path of ["inbox/a", "inbox", join(fixture.outside, "in/a.pdf")]) {
    await sandbox.resolve(path, "read");
    const message = await failureOf(sandbox.resolve(path, "write"));
    assert.match(message, /this path can only be read\.$/);
  }
  const message = await failureOf(sandbox.resolve(join(fixture.outside, "secret.txt"), "read"));
  assert.match(message, /outside the allowed paths/);
});

test("PathSandbox.resolve() reports the reason that a path is invalid", async (fixture) => {
  const sandbox = fixture.sandbox();
  assert.match(await failureOf(sandbox.resolve("", "read")), /^The path is empty/);
  assert.match(await failureOf(sandbox.resolve("a\0b", "read")), /NUL character/);
  assert.match(await failureOf(sandbox.resolve("a\ud800", "read")), /surrogate/);
  const message = await failureOf(sandbox.resolve("a/".repeat(3_000), "read"));
  assert.match(message, /too long: 6000 bytes/);
  const sentence = await failureOf(sandbox.resolve("é".repeat(200), "read"));
  assert.match(sentence, /takes 400 bytes, at most 255/);
});

test("PathSandbox ignores a symlink that later replaces a root", async (fixture) => {
  const root = join(fixture.workspace, "notes");
  const sandbox = fixture.sandbox([{ alias: "notes", path: root }]);
  await sandbox.resolve("{notes}/a.md", "read");
  await Deno.remove(root);
  await Deno.symlink(fixture.outside, root);
  assert.match(await failureOf(sandbox.resolve("{notes}/secret.txt", "read")), /outside/);
});

test("PathSandbox.roots() returns the allowed places", async (fixture) => {
  assert.deepEqual(await fixture.sandbox().roots(), [
    { alias: "workspace", path: fixture.workspace, access: "write" },
  ]);
  const sandbox = fixture.sandbox(
    [{ alias: "notes", path: join(fixture.workspace, "notes"), description: "Daily notes" }],
    [fixture.outside],
  );
  assert.deepEqual(await sandbox.roots(), [
    {
      alias: "notes",
      path: join(fixture.workspace, "notes"),
      access: "write",
      description: "Daily notes",
    },
    { alias: null, path: fixture.outside, access: "read" },
  ]);
  // A watched folder in the workspace is writable.
  const watched = [join(fixture.workspace, "notes"), fixture.outside];
  const roots = await fixture.sandbox([], watched).roots();
  assert.deepEqual(roots.map(({ access }) => access), ["write", "write", "read"]);
});
