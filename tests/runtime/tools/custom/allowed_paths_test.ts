// Tests the path lists of workers: they allow no more than the sandbox, and contain whole folders if nothing in them is
// closed.
import assert from "node:assert/strict";
import fc from "fast-check";
import { join } from "node:path";
import type { AgentPath } from "../../../../runtime/agents/agent.ts";
import { allowedPaths, readablePaths } from "../../../../runtime/tools/custom/allowed_paths.ts";
import { isWithin } from "../../../../runtime/tools/files/place.ts";
import { failureOf, SandboxFixture, testInWorkspace as test } from "../files/sandbox_fixture.ts";

const signal = new AbortController().signal;

/** Returns the path lists of a fixture's sandbox, relative to its workspace. */
async function listed(
  fixture: SandboxFixture,
  paths: AgentPath[] = [],
  readPaths: string[] = [],
): Promise<{ read: string[]; write: string[] }> {
  const { read, write } = await allowedPaths(fixture.sandbox(paths, readPaths), { signal });
  const shorten = (path: string) => path.replace(`${fixture.workspace}/`, "");
  return { read: read.map(shorten).sort(), write: write.map(shorten).sort() };
}

test("allowedPaths() lists the workspace without the agents folder and .env files", async (fixture) => {
  await fixture.write("notes/deep/a.txt", "");
  await fixture.write("b.txt", "");
  await fixture.write(".env.local", "");
  const expected = ["b.txt", "notes"];
  assert.deepEqual(await listed(fixture), { read: expected, write: expected });
});

test("allowedPaths() lists a folder's entries instead of the folder if it contains closed files", async (fixture) => {
  await fixture.write("notes/deep/a.txt", "");
  const paths = [{ alias: "notes", path: join(fixture.workspace, "notes") }];
  assert.deepEqual((await listed(fixture, paths)).write, ["notes"]);
  await fixture.write("notes/one/.ENV", "");
  await fixture.write("notes/one/x.txt", "");
  assert.deepEqual((await listed(fixture, paths)).write, ["notes/deep", "notes/one/x.txt"]);
});

test("allowedPaths() leaves out broken symlinks, and symlinks to folders or outside the workspace", async (fixture) => {
  await fixture.write("notes/a.txt", "");
  const link = (target: string, name: string) =>
    Deno.symlink(target, join(fixture.workspace, "notes", name));
  await link("a.txt", "inside");
  assert.deepEqual((await listed(fixture)).read, ["notes"]);
  await link(join(fixture.outside, "secret.txt"), "out");
  await link(fixture.outside, "folder");
  await link(join(fixture.workspace, "agents"), "agents");
  await link("nowhere", "dangling");
  await link("loop", "loop");
  assert.deepEqual((await listed(fixture)).read, ["notes/a.txt", "notes/inside"]);
});

test("allowedPaths() leaves out symlinks that could be redirected or make files writable", async (fixture) => {
  const { workspace } = fixture;
  await fixture.write("notes/deep/a.txt", "");
  const text = "a decoy: beside the workspace lies the real one";
  await fixture.write("notes/outside/secret.txt", text);
  await fixture.write("watched/b.txt", "");
  const paths = [{ alias: "notes", path: join(workspace, "notes") }];
  await Deno.symlink("../outside/secret.txt", join(workspace, "notes/deep/up"));
  assert.deepEqual((await listed(fixture, paths)).write, ["notes/deep/a.txt", "notes/outside"]);
  await Deno.remove(join(workspace, "notes/deep/up"));
  await Deno.symlink(join(workspace, "watched/b.txt"), join(workspace, "notes/deep/other"));
  const { write } = await listed(fixture, paths, [join(workspace, "watched")]);
  assert.deepEqual(write, ["notes/deep/a.txt", "notes/outside"]);
});

test("readablePaths() keeps a folder with internal symlinks, and reports external ones", async (fixture) => {
  const folder = join(fixture.workspace, "notes");
  await fixture.write("notes/lib/a.ts", "");
  await fixture.write("notes/b.ts", "");
  await Deno.symlink("../b.ts", join(folder, "lib/b.ts"));
  const sandbox = fixture.sandbox([{ alias: "skill", path: folder }]);
  const expected = { read: [folder], write: [], linksOut: [] };
  assert.deepEqual(await readablePaths(sandbox, { signal }), expected);
  await Deno.symlink(join(fixture.outside, "secret.txt"), join(folder, "lib/first"));
  await Deno.symlink("first", join(folder, "lib/second"));
  await Deno.symlink(fixture.outside, join(folder, "lib/folder"));
  const { read, linksOut } = await readablePaths(sandbox, { signal });
  const inside = (...names: string[]) => names.map((name) => join(folder, name));
  assert.deepEqual(read.sort(), inside("b.ts", "lib/a.ts", "lib/b.ts"));
  assert.deepEqual(linksOut.sort(), inside("lib/first", "lib/folder", "lib/second"));
});

test("allowedPaths() allows a single file, a missing path, and reading of watched paths", async (fixture) => {
  await fixture.write("notes/a.txt", "");
  await fixture.write("notes/b.txt", "");
  const paths = [
    { alias: "a", path: join(fixture.workspace, "notes/a.txt") },
    { alias: "later", path: join(fixture.workspace, "later") },
  ];
  const expected = { read: ["later", "notes", "notes/a.txt"], write: ["later", "notes/a.txt"] };
  assert.deepEqual(await listed(fixture, paths, [join(fixture.workspace, "notes")]), expected);
});

test("allowedPaths() refuses a path into a closed place", async (fixture) => {
  const paths = [
    { alias: "agents", path: join(fixture.workspace, "agents") },
    { alias: "env", path: join(fixture.workspace, ".env") },
    { alias: "state", path: join(fixture.base, "state") },
  ];
  assert.deepEqual(await listed(fixture, paths), { read: [], write: [] });
  const above = [{ alias: "all", path: fixture.base }];
  const { read } = await listed(fixture, above);
  assert.ok(read.length > 0);
  for (const path of read) assert.doesNotMatch(path, /agents|\.env|config|state/);
});

test("allowedPaths() refuses too many entries, and suggests narrower `paths`", async (fixture) => {
  const folder = join(fixture.workspace, "notes");
  const first = join(folder, "first.txt");
  await fixture.write("notes/first.txt", "");
  for (let i = 0; i < 5_000; i++) Deno.linkSync(first, join(folder, `${i}.txt`));
  const paths = [{ alias: "notes", path: folder }];
  // The folder itself is one path.
  assert.deepEqual((await listed(fixture, paths)).read, ["notes"]);
  await fixture.write("notes/.env", "");
  assert.match(
    await failureOf(listed(fixture, paths)),
    /^The agent's paths, or the folder of its skill or tool, hold more than 5000 paths with something closed to agents .*Name narrower `paths`/,
  );
});

test("allowedPaths() stops when the run is aborted", async (fixture) => {
  const reason = new Error("stopped");
  await assert.rejects(
    allowedPaths(fixture.sandbox(), { signal: AbortSignal.abort(reason) }),
    reason,
  );
});

Deno.test("allowedPaths() allows no path that the sandbox closes, in any folder layout", async () => {
  const name = fc.constantFrom("a", "b", ".env", ".env.x", "data.db", "agents", "c d,e");
  const tree = fc.array(
    fc.record({ at: fc.array(name, { minLength: 1, maxLength: 4 }), isLink: fc.boolean() }),
    { maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(tree, async (entries) => {
      await using fixture = await SandboxFixture.open();
      const root = join(fixture.workspace, "notes");
      const files: string[] = [];
      for (const { at, isLink } of entries) {
        const path = join(root, ...at);
        try {
          await Deno.mkdir(join(path, ".."), { recursive: true });
          if (isLink) await Deno.symlink(fixture.outside, path);
          else await Deno.writeTextFile(path, "");
          files.push(path);
        } catch {
          // The path cannot be created: a file is in the place of a folder, or a folder in the place of the file.
        }
      }
      const sandbox = fixture.sandbox();
      const { read } = await allowedPaths(sandbox, { signal });
      const isListed = (path: string) => read.some((one) => isWithin(path, one));
      for (const path of files) {
        const isOpen = await sandbox.resolve(path, "read").then(() => true, () => false);
        assert.equal(isListed(path), isOpen && !(await Deno.lstat(path)).isSymlink, path);
      }
      for (const path of ["agents/me.md", ".env"]) {
        assert.equal(isListed(join(fixture.workspace, path)), false);
      }
    }),
    { numRuns: 8 },
  );
});
