// Starts the service of mortal_service.ts as a process that can be killed, or plays its death in this process.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PERMISSION_FLAGS } from "../../../cli/self_command.ts";
import { SqlAcceptanceStore } from "../../../runtime/storage/executions/acceptance.ts";
import { REPOSITORY } from "../../support/repository.ts";
import { IS_POSTGRES } from "../../support/test_database.ts";
import type { TestClock } from "../../support/test_clock.ts";
import type { TestWorkspace } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import type { MortalOrder } from "./mortal_service.ts";

const PROGRAM = fileURLToPath(new URL("./mortal_service.ts", import.meta.url));

/** Starts the service as a process. Resolves when it is ready or has died. */
export async function serve(
  place: Pick<TestWorkspace, "root" | "shell">,
  death: MortalOrder["death"] = null,
): Promise<Deno.ChildProcess> {
  const order: MortalOrder = { shell: place.shell, home: place.root, death };
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--config", join(REPOSITORY, "tests/deno.json"), "--no-check"],
      ...PERMISSION_FLAGS,
      PROGRAM,
      JSON.stringify(order),
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  // An undefined value means that the process died before it printed anything.
  if (value !== undefined) assert.equal(new TextDecoder().decode(value).trim(), "ready");
  return child;
}

/** Waits until the service has killed itself. */
export async function untilDead(child: Deno.ChildProcess): Promise<void> {
  await child.stdout.cancel();
  assert.equal((await child.status).signal, "SIGKILL");
}

/** Kills the service. */
export async function kill(child: Deno.ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await untilDead(child);
}

/**
 * Opens a service that dies at a moment. With SQLite it runs in this process, which is much cheaper than a process of its
 * own: the database is afterwards what it was at that moment. `clock` is advanced until then.
 */
export async function openUntilDeath(
  place: TestWorkspace,
  death: NonNullable<MortalOrder["death"]>,
  { clock }: { clock?: TestClock } = {},
): Promise<void> {
  if (IS_POSTGRES) return await untilDead(await serve(place, death));
  const database = join(place.stateDir, "inkling.db");
  const files = [database, `${database}-wal`];
  const accept = SqlAcceptanceStore.prototype.acceptExecution;
  let calls = 0;
  let left: Uint8Array[] | undefined;
  const die = () => {
    left ??= files.map((file) => Deno.readFileSync(file));
    throw new Error("The service is dead");
  };
  SqlAcceptanceStore.prototype.acceptExecution = async function (...wanted) {
    if (left !== undefined) die();
    const isLast = wanted[0].trigger === death.trigger && ++calls === death.nth;
    if (isLast && death.when === "before") die();
    const result = await accept.apply(this, wanted);
    if (isLast) die();
    return result;
  };
  try {
    await using _service = await place.open(clock && { clock });
    await until(async () => {
      await clock?.advance(1_000);
      return left !== undefined;
    }, "the service dies");
  } finally {
    SqlAcceptanceStore.prototype.acceptExecution = accept;
  }
  await Deno.remove(`${database}-shm`).catch(() => {});
  for (const [at, file] of files.entries()) {
    await Deno.writeFile(file, left?.[at] ?? new Uint8Array());
  }
}
