import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SqliteDatabase } from "../../../../runtime/storage/sqlite/sqlite_database.ts";
import { REPOSITORY } from "../../../support/repository.ts";
import { until } from "../../../support/until.ts";

const PROGRAM = fileURLToPath(new URL("./watch_process.ts", import.meta.url));

/** Starts the watcher; resolves when it watches. */
async function startWatcher(root: string): Promise<Deno.ChildProcess> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--config",
      join(REPOSITORY, "tests/deno.json"),
      "--no-prompt",
      "--allow-read",
      "--allow-write",
      "--allow-env",
      "--allow-sys",
      PROGRAM,
      root,
      "5",
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  assert.equal(new TextDecoder().decode(value).trim(), "ready");
  return child;
}

async function kill(child: Deno.ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await child.stdout.cancel();
  await child.status;
}

/** The paths that ran, each time one ran. */
function pathsThatRan(root: string): string[] {
  using db = SqliteDatabase.open(join(root, "inkling.db"), { readOnly: true });
  return db.all<{ request: string }>("SELECT request FROM executions ORDER BY id")
    .map(({ request }) => (JSON.parse(request) as { args: string[] }).args[0] ?? "");
}

Deno.test("Watcher: killed again and again while files keep coming, each of them runs exactly once", async () => {
  const root = await Deno.realPath(await Deno.makeTempDir());
  await Deno.mkdir(join(root, "work/inbox"), { recursive: true });
  const written: string[] = [];
  let child = await startWatcher(root);
  try {
    for (let round = 1; round <= 3; round++) {
      const goal = pathsThatRan(root).length + 10 * round;
      for (let i = 0; i < 40; i++) {
        const path = join(root, "work/inbox", `${round}-${i}.md`);
        Deno.writeTextFileSync(path, "x".repeat(round));
        written.push(path);
      }
      await until(() => pathsThatRan(root).length >= goal, "some of them run");
      await kill(child);
      // One that nobody watches for.
      const path = join(root, "work/inbox", `down-${round}.md`);
      Deno.writeTextFileSync(path, "written while the service was down");
      written.push(path);
      child = await startWatcher(root);
    }
    await until(() => pathsThatRan(root).length >= written.length, "all of them run");
    assert.deepEqual(pathsThatRan(root).sort(), written.sort());
  } finally {
    await kill(child);
    await Deno.remove(root, { recursive: true });
  }
});
