// Attacks the file tools with a neighbor. As fast as the system can, the neighbor replaces a folder or a file with a link
// to the outside.
import { fail } from "node:assert/strict";
import { basename, dirname, join } from "node:path";
import { PathSandbox } from "../../runtime/tools/files/path_sandbox.ts";
import { ToolFailure } from "../../runtime/tools/failures/tool_failure.ts";
import {
  call,
  CANARY,
  SandboxFixture,
  snapshot,
  testContext,
} from "../../tests/runtime/tools/files/sandbox_fixture.ts";
import { tool } from "../../tests/runtime/tools/files/sandbox_attack.ts";
import type { Attack, AttackOutcome } from "./attack.ts";
import { compileSwapper, Swapper } from "./swapper.ts";

/** The number of calls before the tree is created again; AT_ONCE of them run in parallel. */
const ROUND = 4_000;
const AT_ONCE = 8;
const FILES = 50;
/** The parts of the path middle/flip/f<n>.txt that are swapped with a link to the outside. */
const SWAPPED = ["middle/flip", "middle", "middle/flip/f0.txt"];

/** The tool calls. Their arguments contain `file`, which also exists outside, or `free`, a name that does not exist. */
const TRIES: readonly {
  what: string;
  name: string;
  args(file: string, free: string): Record<string, unknown>;
}[] = [
  { what: "read", name: "file_read", args: (path) => ({ path }) },
  { what: "write", name: "file_write", args: (path) => ({ path, content: "written" }) },
  {
    what: "edit",
    name: "file_edit",
    args: (path) => ({ path, old_text: "i", new_text: "o", replace_all: true }),
  },
  {
    what: "mkdir",
    name: "file_write",
    args: (_, free) => ({ path: `${free}/deep/file.txt`, content: "written" }),
  },
  { what: "delete", name: "file_delete", args: (path) => ({ path }) },
  {
    what: "move away",
    name: "file_move",
    args: (source, free) => ({ source, destination: `moved/${basename(free)}` }),
  },
  {
    what: "move in",
    name: "file_move",
    args: (_, free) => ({ source: "source.txt", destination: free }),
  },
  { what: "glob", name: "file_glob", args: (path) => ({ pattern: `${dirname(path)}/**` }) },
  {
    what: "search",
    name: "file_search",
    args: (path) => ({ pattern: "[a-z]", path: dirname(path) }),
  },
  // Finds each file inside and outside. The walk begins above the swapped entries.
  { what: "search all", name: "file_search", args: () => ({ pattern: "n", literal: true }) },
];

/** Calls all file tools while entries of their paths are swapped. */
export const swappedFolders: Attack = {
  name: "swapped folders",
  claim: "file tools neither reveal nor change outside files while entries are swapped for links",
  // All tries take 11 minutes on two cores. Tools that checked a path before they opened it failed 7 times in 89,000 tries.
  tries: { full: 20_000 * TRIES.length, sample: 5 * TRIES.length },
  run: attack,
};

async function attack(tries: number): Promise<AttackOutcome> {
  await using fixture = await SandboxFixture.open();
  const program = await compileSwapper(fixture.home);
  if (program === undefined) {
    return { tried: 1, successes: [], note: "skipped: no C compiler, or not Linux" };
  }
  const world = new SwappedWorld(fixture);
  await world.plantOutside();
  const before = await world.outside();
  const successes = new Set<string>();
  const listener = Deno.watchFs(fixture.outside, { recursive: true });
  const listening = (async () => {
    for await (const { kind, paths } of listener) {
      if (kind !== "access") successes.add(`seen outside: ${kind} ${paths}`);
    }
  })();
  const done = new Map(TRIES.map(({ what }) => [what, 0]));
  let tried = 0;
  for (let round = 0; tried < tries; round++) {
    const swapped = SWAPPED[round % SWAPPED.length] ?? "";
    const paths = await world.plant(swapped);
    await using _swapper = new Swapper(program, paths);
    const end = Math.min(tries, tried + ROUND);
    const attempt = async () => {
      const number = tried++;
      const { what, name, args } = TRIES[number % TRIES.length] ?? fail();
      const file = swapped.endsWith(".txt") ? swapped : `middle/flip/f${number % FILES}.txt`;
      const sandbox = new PathSandbox(fixture.options());
      const said = await outcomeOf(name, args(file, `middle/flip/n${number}`), sandbox);
      if (said.succeeded) done.set(what, (done.get(what) ?? 0) + 1);
      if (/CANARY|out-only/.test(said.text)) successes.add(`${what} revealed: ${said.text}`);
    };
    const work = async () => {
      while (tried < end) await attempt();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
  listener.close();
  await listening;
  if (await world.outside() !== before) successes.add("what lies outside is not what it was");
  const note = `done inside: ${[...done].map(([what, count]) => `${what} ${count}`).join(", ")}`;
  return { tried, successes: [...successes], note };
}

async function outcomeOf(
  name: string,
  args: Record<string, unknown>,
  sandbox: PathSandbox,
): Promise<{ text: string; succeeded: boolean }> {
  try {
    return { text: await call(tool(name), args, testContext(sandbox)), succeeded: true };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { text: error.message, succeeded: false };
  }
}

/** The same tree of files in the workspace and outside, with a link to the outside for each swapped part. */
class SwappedWorld {
  readonly #fixture: SandboxFixture;

  constructor(fixture: SandboxFixture) {
    this.#fixture = fixture;
  }

  async plantOutside(): Promise<void> {
    const flip = join(this.#fixture.outside, "middle/flip");
    await Deno.mkdir(flip, { recursive: true });
    for (let count = 0; count < FILES; count++) {
      await Deno.writeTextFile(join(flip, `f${count}.txt`), CANARY);
    }
    await Deno.writeTextFile(join(flip, "out-only.txt"), CANARY);
  }

  /** Creates the tree again for a round and returns the two paths to swap. */
  async plant(swapped: string): Promise<{ one: string; other: string }> {
    const { workspace, outside, write } = this.#fixture;
    for (const name of ["middle", "link", "moved"]) {
      // Deno.remove removes a link itself, not its target.
      await Deno.remove(join(workspace, name), { recursive: true }).catch(() => {});
    }
    for (let count = 0; count < FILES; count++) {
      await write.call(this.#fixture, `middle/flip/f${count}.txt`, "inside");
    }
    await write.call(this.#fixture, "source.txt", "inside");
    const one = join(workspace, swapped);
    const other = join(workspace, "link");
    await Deno.symlink(join(outside, swapped), other);
    return { one, other };
  }

  outside(): Promise<string> {
    return snapshot(this.#fixture.outside);
  }
}
