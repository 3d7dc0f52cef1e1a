// Tries to get out of the sandbox: generated paths, real tools, symlinks that are swapped at the worst moments.
import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import {
  type PathAccess,
  PathSandbox,
  type ResolvedPath,
} from "../../runtime/tools/path_sandbox.ts";
import { openFile } from "../../runtime/tools/sandboxed_files.ts";
import type { Tool } from "../../runtime/tools/tool.ts";
import { ToolFailure } from "../../runtime/tools/tool_failure.ts";
import { createBuiltinTools, Toolbox } from "../../runtime/tools/toolbox.ts";
import { call, CANARY, SandboxFixture, snapshot, testContext } from "./sandbox_fixture.ts";

const READ_CASES = 10_000;
const CHANGE_CASES = 2_000;
const RACE_ROUNDS = 400;
const SEED = 20_260_101;

const toolbox = new Toolbox(
  createBuiltinTools({ http: { allow: [], deny: [], ownPorts: () => [] } }),
);

function tool(name: string): Tool {
  const found = toolbox.get(name);
  assert.ok(found !== undefined, name);
  return found;
}

const PIECES = [
  ".",
  "..",
  "..",
  "...",
  "",
  "~",
  "~root",
  "{workspace}",
  "{notes}",
  "{nope}",
  "{",
  "{{notes}}",
  "notes",
  "a.md",
  "agents",
  "AGENTS",
  "me.md",
  ".env",
  ".ENV",
  ".eNv.local",
  ".e\u200bnv",
  "env",
  "outside",
  "secret.txt",
  "deep",
  "out",
  "out.txt",
  "out2",
  "in",
  "in.txt",
  "env.txt",
  "team",
  "loop",
  "dangling",
  "flip",
  "etc",
  "passwd",
  "config",
  "config.yaml",
  "state",
  "inkling.db",
  "a.db",
  "x.SQLITE",
  "ordner-ä",
  "a\u0308",
  "ａ",
  "\u202e",
  "\ud83d\ude00",
  "\ud800",
  "a\0b",
  "a\nb",
  "%2e%2e",
  "..\\..",
  "C:",
  "file:",
  "*",
  "-rf",
  "x".repeat(255),
  "x".repeat(256),
  "ü".repeat(130),
  " ",
  "$HOME",
  "workspace",
  "home",
];

/** Those that are there: short walks over them reach everything worth reaching. */
const PRESENT = [
  "..",
  ".",
  "notes",
  "a.md",
  "in",
  "in.txt",
  "out",
  "out.txt",
  "up",
  "flip",
  "secret.txt",
  "deep",
  "agents",
  "me.md",
  ".env",
  "env.txt",
  "team",
];

const path = (fixture: SandboxFixture) =>
  fc.tuple(
    fc.constantFrom(
      "",
      "",
      "",
      "/",
      "./",
      "../",
      "~/",
      "{workspace}/",
      "{notes}/",
      "{notes}",
      `${fixture.workspace}/`,
      `${fixture.outside}/`,
      `${fixture.base}/`,
      "{notes}/../../",
      "out/../",
      "in/../../",
      "//",
    ),
    fc.oneof(
      {
        weight: 20,
        arbitrary: fc.array(fc.constantFrom(...PRESENT), { minLength: 1, maxLength: 3 }),
      },
      {
        weight: 4,
        arbitrary: fc.constantFrom(["notes", "a.md"], ["in", "a.md"], ["notes", "up", "in.txt"]),
      },
      { weight: 12, arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }) },
      {
        weight: 2,
        arbitrary: fc.array(fc.string({ unit: "binary", maxLength: 12 }), { maxLength: 4 }),
      },
      {
        weight: 1,
        arbitrary: fc.integer({ min: 1_000, max: 5_000 }).map((n) => Array<string>(n).fill("..")),
      },
    ),
    fc.constantFrom("/", "/", "/", "//", "/./"),
  ).map(([start, pieces, separator]) => start + pieces.join(separator));

/** Links to everything that is worth reaching. */
async function plant(fixture: SandboxFixture): Promise<void> {
  await fixture.write("notes/a.md", "inside");
  await fixture.write("flip/secret.txt", "inside");
  const links: Record<string, string> = {
    "out": fixture.outside,
    "out2": "notes/../out",
    "out.txt": "../outside/secret.txt",
    "in": "notes",
    "in.txt": "notes/a.md",
    "env.txt": ".env",
    "team": "agents",
    "loop": "loop",
    "dangling": "../outside/new.txt",
    "notes/out": "../../outside",
    "notes/up": "..",
  };
  for (const [name, target] of Object.entries(links)) {
    const at = join(fixture.workspace, name);
    if (await Deno.lstat(at).then(() => false, () => true)) await Deno.symlink(target, at);
  }
}

/** Everything that must stay as it is. */
async function closedPlaces(fixture: SandboxFixture): Promise<string> {
  const folders = ["outside", "home", "config", "state", "workspace/agents"];
  const parts = await Promise.all(folders.map((name) => snapshot(join(fixture.base, name))));
  return [...parts, await Deno.readTextFile(join(fixture.workspace, ".env"))].join("\n");
}

/** Runs a tool; only a ToolFailure may come out of it, and never the canary. Returns whether it succeeded. */
async function attempt(
  name: string,
  args: Record<string, unknown>,
  sandbox: PathSandbox,
): Promise<boolean> {
  let said: string;
  let done = true;
  try {
    said = await call(tool(name), args, testContext(sandbox));
  } catch (error) {
    assert.ok(error instanceof ToolFailure, `${name} ${JSON.stringify(args)}: ${error}`);
    said = error.message;
    done = false;
  }
  assert.ok(!said.includes(CANARY), `${name} ${JSON.stringify(args)} told what stands outside`);
  return done;
}

Deno.test(`file_read never reads outside of the sandbox, for ${READ_CASES} generated paths`, async () => {
  await using fixture = await SandboxFixture.open();
  await plant(fixture);
  const sandboxes = [
    fixture.sandbox(),
    fixture.sandbox([{ alias: "notes", path: join(fixture.workspace, "notes") }]),
  ];
  const before = await closedPlaces(fixture);
  let read = 0;
  const cases = fc.sample(path(fixture), { numRuns: READ_CASES, seed: SEED });
  // Side by side, as far as the disk goes: one after the other would mostly wait.
  await Promise.all(Array.from({ length: 16 }, async (_, lane) => {
    for (let i = lane; i < cases.length; i += 16) {
      const text = cases[i] ?? "";
      const sandbox = sandboxes[i % sandboxes.length];
      assert.ok(sandbox !== undefined);
      if (await attempt("file_read", { path: text }, sandbox)) read++;
    }
  }));
  assert.ok(read > READ_CASES / 100, `only ${read} paths could be read: the generator is too wild`);
  assert.equal(await closedPlaces(fixture), before);
});

Deno.test(`file tools never change anything outside, for ${CHANGE_CASES} generated calls`, async () => {
  await using fixture = await SandboxFixture.open();
  await plant(fixture);
  const sandbox = fixture.sandbox();
  const before = await closedPlaces(fixture);
  const calls = fc.sample(
    fc.tuple(
      fc.constantFrom("file_write", "file_edit", "file_delete", "file_move", "file_glob"),
      path(fixture),
      path(fixture),
    ),
    { numRuns: CHANGE_CASES, seed: SEED },
  );
  for (const [index, [name, one, other]] of calls.entries()) {
    // What the calls deleted or moved is planted again now and then.
    if (index % 50 === 0) await plant(fixture);
    const args = {
      file_write: { path: one, content: "written" },
      file_edit: { path: one, old_text: "i", new_text: "ii", replace_all: true },
      file_delete: { path: one },
      file_move: { source: one, destination: other },
      file_glob: { pattern: one },
    }[name];
    assert.ok(args !== undefined);
    await attempt(name, args, sandbox);
  }
  assert.equal(await closedPlaces(fixture), before);
});

/** Swaps something right behind each check, once it is armed. */
class SwappingSandbox extends PathSandbox {
  swap: (() => Promise<void>) | undefined;

  override async resolve(text: string, access: PathAccess): Promise<ResolvedPath> {
    const resolved = await super.resolve(text, access);
    await this.swap?.();
    return resolved;
  }
}

Deno.test("file tools notice a folder or file that is swapped for a symlink behind the check", async () => {
  await using fixture = await SandboxFixture.open();
  const calls: [string, Record<string, unknown>][] = [
    ["file_read", { path: "flip/secret.txt" }],
    ["file_write", { path: "flip/secret.txt", content: "written" }],
    ["file_write", { path: "flip/new.txt", content: "written" }],
    ["file_write", { path: "flip/new/deep/file.txt", content: "written" }],
    ["file_edit", { path: "flip/secret.txt", old_text: "in", new_text: "out" }],
    ["file_delete", { path: "flip/secret.txt" }],
    ["file_move", { source: "flip/secret.txt", destination: "moved.txt" }],
    ["file_move", { source: "notes/a.md", destination: "flip/a.md" }],
  ];
  const flip = join(fixture.workspace, "flip");
  const before = await closedPlaces(fixture);
  for (const kind of ["folder", "file"]) {
    for (const [name, args] of calls) {
      await Deno.remove(flip, { recursive: true }).catch(() => {});
      await plant(fixture);
      const sandbox = new SwappingSandbox(fixture.options());
      sandbox.swap = async () => {
        sandbox.swap = undefined;
        if (kind === "folder") {
          await Deno.remove(flip, { recursive: true });
          await Deno.symlink(fixture.outside, flip);
        } else {
          await Deno.remove(join(flip, "secret.txt"));
          await Deno.symlink(join(fixture.outside, "secret.txt"), join(flip, "secret.txt"));
        }
      };
      await attempt(name, args, sandbox);
      assert.equal(sandbox.swap, undefined, `${name} checked nothing`);
      assert.equal(await closedPlaces(fixture), before, `${name} ${JSON.stringify(args)}`);
    }
  }
});

Deno.test("file tools hold while a folder is swapped all the time", async () => {
  await using fixture = await SandboxFixture.open();
  await plant(fixture);
  const at = (name: string) => join(fixture.workspace, name);
  await Deno.symlink(fixture.outside, at("flip-link"));
  // Folder times may change: a call that hits the moment makes an empty file and takes it away again.
  const contents = async () =>
    (await snapshot(fixture.outside)).replace(/^\S*(outside|deep) \d+$/gm, "");
  const before = await contents();
  const sandbox = fixture.sandbox();
  let running = true;
  const place = async (name: string) => {
    // A write that comes while there is no such folder makes one: away with it.
    while (!await Deno.rename(at(name), at("flip")).then(() => true, () => false)) {
      await Deno.remove(at("flip"), { recursive: true });
    }
  };
  const swapper = (async () => {
    while (running) {
      await Deno.rename(at("flip"), at("flip-folder"));
      await place("flip-link");
      await Deno.rename(at("flip"), at("flip-link"));
      await place("flip-folder");
    }
  })();
  try {
    for (let round = 0; round < RACE_ROUNDS; round++) {
      await attempt("file_read", { path: "flip/secret.txt" }, sandbox);
      await attempt("file_write", { path: "flip/secret.txt", content: `inside ${round}` }, sandbox);
      await attempt("file_write", { path: "flip/deep/a.txt", content: `inside ${round}` }, sandbox);
      await attempt("file_delete", { path: "flip/deep/a.txt" }, sandbox);
      await attempt("file_glob", { pattern: "flip/**" }, sandbox);
    }
  } finally {
    running = false;
    await swapper;
  }
  assert.equal(await contents(), before);
});

Deno.test("openFile() reads a hard link, and writing to it leaves the other name as it is", async () => {
  await using fixture = await SandboxFixture.open();
  await Deno.link(join(fixture.outside, "secret.txt"), join(fixture.workspace, "hard.txt"));
  const sandbox = fixture.sandbox();
  await using file = await openFile(sandbox, "hard.txt");
  assert.equal(file.size, CANARY.length);
  await call(tool("file_write"), { path: "hard.txt", content: "mine" }, testContext(sandbox));
  assert.equal(await fixture.read("hard.txt"), "mine");
  assert.equal(await Deno.readTextFile(join(fixture.outside, "secret.txt")), CANARY);
});
