// Paths that a model writes, through the real file tools over a folder with links to everything that is closed.
import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { attempt, closedPlaces, plant, sandboxPath } from "../tools/sandbox_attack.ts";
import { SandboxFixture } from "../tools/sandbox_fixture.ts";
import { defineTarget } from "./target.ts";

interface World {
  fixture: SandboxFixture;
  /** Everything that must stay as it is. */
  before: string;
}

async function open(): Promise<World & AsyncDisposable> {
  const fixture = await SandboxFixture.open();
  await plant(fixture);
  const before = await closedPlaces(fixture);
  return { fixture, before, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() };
}

export const readPaths = defineTarget<[string, boolean], World>({
  name: "read-paths",
  claim: "file_read never shows what lies outside of the sandbox, whatever the path",
  open,
  cases: ({ fixture }) => fc.tuple(sandboxPath(fixture), fc.boolean()),
  async check([path, isDeclared], { fixture }) {
    const notes = { alias: "notes", path: join(fixture.workspace, "notes") };
    await attempt("file_read", { path }, fixture.sandbox(isDeclared ? [notes] : []));
  },
});

const CHANGES = ["file_write", "file_edit", "file_delete", "file_move", "file_glob"] as const;

export const changePaths = defineTarget<[typeof CHANGES[number], string, string], World>({
  name: "change-paths",
  claim: "no file tool changes anything outside of the sandbox, whatever the paths",
  open,
  cases: ({ fixture }) =>
    fc.tuple(fc.constantFrom(...CHANGES), sandboxPath(fixture), sandboxPath(fixture)),
  async check([name, one, other], { fixture, before }) {
    // What the case before deleted or moved.
    await plant(fixture);
    const args = {
      file_write: { path: one, content: "written" },
      file_edit: { path: one, old_text: "i", new_text: "ii", replace_all: true },
      file_delete: { path: one },
      file_move: { source: one, destination: other },
      file_glob: { pattern: one },
    }[name];
    await attempt(name, args, fixture.sandbox());
    assert.equal(await closedPlaces(fixture), before);
  },
});
