// `deno task mutation`: removes each safeguard in a copy of the source tree and checks that a test fails. Arguments: words
// that a safeguard's name must contain, or `tests/<path>` for the safeguards with a test below this path. Without
// arguments, all safeguards are tried.
import { join } from "node:path";
import { REPOSITORY, TEST_PERMISSIONS } from "../../tests/support/repository.ts";
import { type Mutation, MUTATIONS } from "./guards.ts";
import { mutate } from "./mutate.ts";

const NOT_COPIED = new Set([".git", "coverage"]);
/** The time limit for the tests of one safeguard. Tests that hang without the safeguard do not count as failed. */
const MAX_MS = 5 * 60_000;

const copy = await Deno.makeTempDir({ prefix: "inkling-mutation-" });
try {
  await copyTree(REPOSITORY, copy);
  const wanted = MUTATIONS.filter(({ guard, tests }) =>
    Deno.args.every((word) =>
      word.startsWith("tests/") ? tests.some((path) => path.startsWith(word)) : guard.includes(word)
    )
  );
  const unnoticed: string[] = [];
  for (const mutation of wanted) {
    const start = performance.now();
    const outcome = await tryMutation(mutation);
    if (outcome !== "noticed") unnoticed.push(mutation.guard);
    const seconds = Math.round((performance.now() - start) / 1_000);
    console.log(`${outcome.padEnd(9)}  ${mutation.guard} (${seconds} s)`);
  }
  console.log(`${wanted.length - unnoticed.length} of ${wanted.length} guards are held by tests`);
  if (unnoticed.length > 0) Deno.exitCode = 1;
} finally {
  await Deno.remove(copy, { recursive: true });
}

/**
 * Runs the tests of a safeguard on the code without it. Returns "noticed" if a test fails, "UNNOTICED" if all pass, and
 * "HANGS" at the time limit. Throws PlaceUnclear if the code of the safeguard is not at exactly one place.
 */
async function tryMutation(mutation: Mutation): Promise<"noticed" | "UNNOTICED" | "HANGS"> {
  const { file, source, changed } = mutate(mutation);
  const path = join(copy, file);
  await Deno.writeTextFile(path, changed);
  const signal = AbortSignal.timeout(MAX_MS);
  try {
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--config", "tests/deno.json", ...TEST_PERMISSIONS],
        ...["tests/suite/main.ts", "--fail-fast", ...mutation.tests],
      ],
      cwd: copy,
      signal,
      stdout: "null",
      stderr: "null",
    }).output();
    if (signal.aborted) return "HANGS";
    return code === 0 ? "UNNOTICED" : "noticed";
  } finally {
    await Deno.writeTextFile(path, source);
  }
}

async function copyTree(from: string, to: string): Promise<void> {
  for await (const entry of Deno.readDir(from)) {
    if (NOT_COPIED.has(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory) {
      await Deno.mkdir(target);
      await copyTree(source, target);
    } else if (entry.isFile) await Deno.copyFile(source, target);
  }
}
