// Fuzzes the file tools with paths that a model could write, in folders with links to closed files. The agent may have no
// declared paths, a folder of the workspace, or also a second folder that it watches.
import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import type { PathSandbox } from "../../../runtime/tools/files/path_sandbox.ts";
import { ToolFailure } from "../../../runtime/tools/failures/tool_failure.ts";
import {
  closedPlaces,
  plant,
  sandboxPath,
  tool,
} from "../../../tests/runtime/tools/files/sandbox_attack.ts";
import {
  call,
  CANARY,
  SandboxFixture,
  snapshot,
  testContext,
} from "../../../tests/runtime/tools/files/sandbox_fixture.ts";
import { defineTarget } from "../target.ts";

/** The folders that an agent may use: the workspace, only `notes`, or `notes` and for reading also `flip`. */
const SCOPES = ["workspace", "notes", "notes and watched flip"] as const;
type Scope = typeof SCOPES[number];

/**
 * OUTSIDE is the name of files outside the workspace, whose content is CANARY. BESIDE is a file beside `notes`, IN_FLIP a
 * file in `flip`.
 */
const OUTSIDE = "name-outside.txt";
const BESIDE = "name-beside.txt";
const IN_FLIP = "name-in-flip.txt";
const TEXT_BESIDE = "a text beside";
const TEXT_IN_FLIP = "a text in flip";

interface World {
  fixture: SandboxFixture;
  /** The files that are closed to every agent, with their contents. They must not change. */
  closed: string;
}

async function open(): Promise<World & AsyncDisposable> {
  const fixture = await SandboxFixture.open();
  for (const folder of ["outside", "outside/deep", "home", "config", "state", "workspace/agents"]) {
    await Deno.writeTextFile(join(fixture.base, folder, OUTSIDE), CANARY);
  }
  await plantAll(fixture);
  const closed = await closedPlaces(fixture);
  return { fixture, closed, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() };
}

async function plantAll(fixture: SandboxFixture): Promise<void> {
  await plant(fixture);
  await fixture.write(BESIDE, TEXT_BESIDE);
  for (const name of [IN_FLIP, "secret.txt"]) await fixture.write(`flip/${name}`, TEXT_IN_FLIP);
}

/** Removes the files of the previous case. */
async function clear({ workspace }: SandboxFixture): Promise<void> {
  for await (const { name } of Deno.readDir(workspace)) {
    if (name === "agents" || name === ".env") continue;
    await Deno.remove(join(workspace, name), { recursive: true });
  }
}

function openSandbox(scope: Scope, fixture: SandboxFixture): PathSandbox {
  const notes = { alias: "notes", path: join(fixture.workspace, "notes") };
  if (scope === "workspace") return fixture.sandbox();
  return fixture.sandbox([notes], scope === "notes" ? [] : [join(fixture.workspace, "flip")]);
}

/** Runs a tool. Throws if the tool fails without a message, or reveals a name or content that is closed to the agent. */
async function attempt(
  name: string,
  args: Record<string, unknown>,
  { scope, fixture }: { scope: Scope; fixture: SandboxFixture },
): Promise<void> {
  let said: string;
  try {
    said = await call(tool(name), args, testContext(openSandbox(scope, fixture)));
  } catch (error) {
    assert.ok(error instanceof ToolFailure, `${name} ${JSON.stringify(args)}: ${error}`);
    said = error.message;
  }
  const closed = [CANARY, OUTSIDE];
  if (scope !== "workspace") closed.push(BESIDE, TEXT_BESIDE);
  if (scope === "notes") closed.push(IN_FLIP, TEXT_IN_FLIP);
  // A text that the arguments contain was known before, so the tool cannot reveal it.
  for (const one of closed.filter((one) => !JSON.stringify(args).includes(one))) {
    assert.ok(!said.includes(one), `${name} ${JSON.stringify(args)} revealed ${one}`);
  }
}

/** Generates paths to existing files that are closed to at least one kind of agent. */
const closedFile = ({ workspace }: SandboxFixture): fc.Arbitrary<string> =>
  fc.tuple(
    fc.constantFrom("", `${workspace}/`, "{notes}/../", "{notes}/up/", "up/", "in/../", "../"),
    fc.constantFrom(
      BESIDE,
      `flip/${IN_FLIP}`,
      "flip/secret.txt",
      `agents/${OUTSIDE}`,
      "team/me.md",
      ".env",
      "env.txt",
      "out.txt",
      `out/deep/${OUTSIDE}`,
    ),
  ).map((parts) => parts.join(""));

export const readPaths = defineTarget<[string, Scope], World>({
  name: "read-paths",
  claim: "file_read never shows content outside of the sandbox, with any path",
  open,
  cases: ({ fixture }) =>
    fc.tuple(fc.oneof(sandboxPath(fixture), closedFile(fixture)), fc.constantFrom(...SCOPES)),
  check: ([path, scope], { fixture }) => attempt("file_read", { path }, { scope, fixture }),
});

export const findPaths = defineTarget<[string, string, Scope], World>({
  name: "find-paths",
  claim: "file_glob never names files outside of the sandbox, with any pattern",
  open,
  cases: ({ fixture }) =>
    fc.tuple(
      sandboxPath(fixture),
      fc.constantFrom("", "/*", "/**", "/**/*.txt", "*", "/{,*/}*"),
      fc.constantFrom(...SCOPES),
    ),
  check: ([path, end, scope], { fixture }) =>
    attempt("file_glob", { pattern: path + end }, { scope, fixture }),
});

const CHANGES = ["file_write", "file_edit", "file_delete", "file_move"] as const;

export const changePaths = defineTarget<[typeof CHANGES[number], string, string, Scope], World>({
  name: "change-paths",
  claim: "no file tool changes anything outside of the sandbox, with any paths",
  open,
  cases: ({ fixture }) =>
    fc.tuple(
      fc.constantFrom(...CHANGES),
      sandboxPath(fixture),
      sandboxPath(fixture),
      fc.constantFrom(...SCOPES),
    ),
  async check([name, one, other, scope], { fixture, closed }) {
    await clear(fixture);
    await plantAll(fixture);
    const before = await besides(scope, fixture);
    const args = {
      file_write: { path: one, content: "written" },
      file_edit: { path: one, old_text: "i", new_text: "ii", replace_all: true },
      file_delete: { path: one },
      file_move: { source: one, destination: other },
    }[name];
    await attempt(name, args, { scope, fixture });
    assert.equal(await closedPlaces(fixture), closed);
    assert.equal(await besides(scope, fixture), before);
  },
});

/**
 * Returns the content of the workspace outside the folder that the agent may change, or an empty text if it may change the
 * whole workspace.
 */
async function besides(scope: Scope, { workspace }: SandboxFixture): Promise<string> {
  if (scope === "workspace") return "";
  const lines = (await snapshot(workspace)).split("\n");
  return lines.filter((line) => !line.startsWith(join(workspace, "notes"))).join("\n");
}
