// Helpers that attack the sandbox: paths out of it, a description of the files that must not change, and a call that may
// throw only a ToolFailure.
import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import type { PathSandbox } from "../../../../runtime/tools/files/path_sandbox.ts";
import type { Tool } from "../../../../runtime/tools/definition/tool.ts";
import { ToolFailure } from "../../../../runtime/tools/failures/tool_failure.ts";
import { createBuiltinTools, Toolbox } from "../../../../runtime/tools/toolbox.ts";
import { call, CANARY, type SandboxFixture, snapshot, testContext } from "./sandbox_fixture.ts";
import { anyText } from "../../../support/any_text.ts";

const toolbox = new Toolbox(
  createBuiltinTools({ http: { allow: [], deny: [], ownPorts: () => [] } }),
);

/** Returns a built-in tool. */
export function tool(name: string): Tool {
  const found = toolbox.get(name);
  assert.ok(found !== undefined, name);
  return found;
}

// deno-fmt-ignore
const PIECES = [
  ".", "..", "..", "...", "", "~", "~root", "{workspace}", "{notes}", "{nope}", "{", "{{notes}}",
  "notes", "a.md", "agents", "AGENTS", "me.md", ".env", ".ENV", ".eNv.local", ".e\u200bnv", "env",
  "outside", "secret.txt", "deep", "out", "out.txt", "out2", "in", "in.txt", "env.txt", "team",
  "loop", "dangling", "flip", "etc", "passwd", "config", "config.yaml", "state", "inkling.db",
  "a.db", "x.SQLITE", "ordner-ä", "a\u0308", "ａ", "\u202e", "\ud83d\ude00", "\ud800", "a\0b",
  "a\nb", "%2e%2e", "..\\..", "C:", "file:", "*", "-rf", "x".repeat(255), "x".repeat(256),
  "ü".repeat(130), " ", "$HOME", "workspace", "home",
];

/** The names of existing entries. Short paths of these names reach every closed place. */
// deno-fmt-ignore
const PRESENT = [
  "..", ".", "notes", "a.md", "in", "in.txt", "out", "out.txt", "up", "flip", "secret.txt", "deep",
  "agents", "me.md", ".env", "env.txt", "team",
];

/** Generates paths in the fixture and out of it. Many of these paths exist. */
export const sandboxPath = (fixture: SandboxFixture): fc.Arbitrary<string> =>
  fc.tuple(
    // deno-fmt-ignore
    fc.constantFrom(
      "", "", "", "/", "./", "../", "~/", "{workspace}/", "{notes}/", "{notes}",
      `${fixture.workspace}/`, `${fixture.outside}/`, `${fixture.base}/`, "{notes}/../../",
      "out/../", "in/../../", "//",
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
      { weight: 2, arbitrary: fc.array(anyText({ maxLength: 12 }), { maxLength: 4 }) },
      {
        weight: 1,
        arbitrary: fc.integer({ min: 1_000, max: 5_000 }).map((n) => Array<string>(n).fill("..")),
      },
    ),
    fc.constantFrom("/", "/", "/", "//", "/./"),
  ).map(([start, pieces, separator]) => start + pieces.join(separator));

/** Creates two files, and symlinks to folders and files inside and outside of the sandbox. */
export async function plant(fixture: SandboxFixture): Promise<void> {
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

/** Returns a description of all files that no call may change. */
export async function closedPlaces(fixture: SandboxFixture): Promise<string> {
  const folders = ["outside", "home", "config", "state", "workspace/agents"];
  // The service records in this file the folders with staged files.
  const isOurs = (path: string) => path === join(fixture.base, "state/staging");
  const parts = await Promise.all(
    folders.map((name) => snapshot(join(fixture.base, name), isOurs)),
  );
  return [...parts, await Deno.readTextFile(join(fixture.workspace, ".env"))].join("\n");
}

/**
 * Calls a tool. Fails if the tool throws anything but a ToolFailure, or returns the secret text. Returns true if the call
 * succeeded.
 */
export async function attempt(
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
