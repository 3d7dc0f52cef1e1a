// Tests attempts to leave the sandbox by symlinks that are swapped between check and use. proof/fuzz/targets/path_target.ts
// tests random paths.
import assert from "node:assert/strict";
import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { openFile } from "../../../../runtime/tools/files/opened_file.ts";
import type { PathAccess } from "../../../../runtime/tools/files/place.ts";
import { PathSandbox, type ResolvedPath } from "../../../../runtime/tools/files/path_sandbox.ts";
import { until } from "../../../support/until.ts";
import { HAS_PIPES, makePipe } from "../../../support/machine/pipes.ts";
import { attempt, closedPlaces, plant, tool } from "./sandbox_attack.ts";
import {
  call,
  CANARY,
  failureOf,
  SandboxFixture,
  testContext,
  testInWorkspace as test,
} from "./sandbox_fixture.ts";

const WRITE_WITHOUT_WAITING = constants.O_WRONLY | constants.O_NONBLOCK;

/** A sandbox that swaps an entry after each check of a path, once it is armed. */
class SwappingSandbox extends PathSandbox {
  swap: (() => Promise<void>) | undefined;

  override async resolve(text: string, access: PathAccess): Promise<ResolvedPath> {
    const resolved = await super.resolve(text, access);
    await this.swap?.();
    return resolved;
  }
}

/** A sandbox that swaps a path's target once, between its check and its opening. */
class LateSwappingSandbox extends PathSandbox {
  swap: ((path: string) => void) | undefined;

  override async resolve(text: string, access: PathAccess): Promise<ResolvedPath> {
    const { path, ...resolved } = await super.resolve(text, access);
    const swapped = () => {
      this.swap?.(path);
      this.swap = undefined;
      return path;
    };
    let uses = 0;
    return {
      ...resolved,
      get path() {
        return ++uses === 3 ? swapped() : path;
      },
    };
  }
}

test("file tools detect a path that is swapped for a symlink after the check", async (fixture) => {
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

test("openFile() reads a hard link, and a write keeps the other name's content", async (fixture) => {
  await Deno.link(join(fixture.outside, "secret.txt"), join(fixture.workspace, "hard.txt"));
  const sandbox = fixture.sandbox();
  await using file = await openFile(sandbox, "hard.txt");
  assert.equal(file.size, CANARY.length);
  await call(tool("file_write"), { path: "hard.txt", content: "mine" }, testContext(sandbox));
  assert.equal(await fixture.read("hard.txt"), "mine");
  assert.equal(await Deno.readTextFile(join(fixture.outside, "secret.txt")), CANARY);
});

test("openFile() detects a file that is swapped for a symlink before the opening", async (fixture) => {
  await fixture.write("a.txt", "inside");
  const sandbox = new LateSwappingSandbox(fixture.options());
  sandbox.swap = (path) => {
    Deno.removeSync(path);
    Deno.symlinkSync(join(fixture.outside, "secret.txt"), path);
  };
  assert.match(await failureOf(openFile(sandbox, "a.txt")), /outside the allowed paths/);
  assert.equal(sandbox.swap, undefined, "it was swapped");
});

Deno.test({
  name: "openFile() refuses a pipe that replaces a file between check and opening",
  ignore: !HAS_PIPES,
  async fn() {
    await using fixture = await SandboxFixture.open();
    await fixture.write("a.txt", "inside");
    const pipe = join(fixture.workspace, "pipe");
    makePipe(pipe);
    const sandbox = new LateSwappingSandbox(fixture.options());
    sandbox.swap = (path) => Deno.renameSync(pipe, path);
    let isOver = false;
    const end = () => void (isOver = true);
    const opening = openFile(sandbox, "a.txt");
    opening.then(end, end);
    try {
      await until(() => isOver, "the end of the call");
    } finally {
      // Opening the pipe's other end releases a call that waits for a writer.
      if (!isOver) closeSync(openSync(join(fixture.workspace, "a.txt"), WRITE_WITHOUT_WAITING));
    }
    const expected = 'Cannot read "a.txt": it is not a regular file (a pipe, socket or device).';
    assert.equal(await failureOf(opening), expected);
    assert.equal(sandbox.swap, undefined, "it was swapped");
  },
});

test("file tools refuse the link to the service's descriptors and paths through it", async (fixture) => {
  await plant(fixture);
  const state = join(fixture.base, "state");
  const before = await closedPlaces(fixture);
  const folder = openSync(fixture.outside, constants.O_RDONLY);
  try {
    await Deno.symlink(`${state}/fd/${folder}`, join(fixture.workspace, "way"));
    await Deno.symlink(`${state}/fd`, join(fixture.workspace, "ways"));
    const sandbox = fixture.sandbox([{ alias: "notes", path: fixture.workspace }]);
    const all = fixture.sandbox([{ alias: "all", path: fixture.base }]);
    for (
      const [path, reach] of [
        ["way", sandbox],
        [`ways/${folder}`, sandbox],
        [`${state}/fd/${folder}`, sandbox],
        [`${state}/fd/${folder}`, all],
      ] as const
    ) {
      const file = `${path}/secret.txt`;
      const cases = [
        ["file_read", { path: file }],
        ["file_write", { path: file, content: "written" }],
        ["file_write", { path: `${path}/new/file.txt`, content: "written" }],
        ["file_edit", { path: file, old_text: "C", new_text: "D" }],
        ["file_delete", { path: file }],
        ["file_move", { source: file, destination: join(fixture.workspace, "moved.txt") }],
      ] as const;
      for (const [name, args] of cases) {
        const said = await failureOf(call(tool(name), args, testContext(reach)));
        assert.match(said, /outside the allowed paths|closed to agents/, `${name} ${path}`);
      }
    }
  } finally {
    closeSync(folder);
  }
  assert.equal(await closedPlaces(fixture), before);
});
