// Connects to the background service, and starts the service if none runs. A lock ensures that only one process at a time
// starts the service.
import type { Client } from "../../api/client/client.ts";
import type { CliApp, Places } from "../context/app.ts";
import { connectService } from "./connection.ts";
import { warnOfConfig } from "../context/config_warnings.ts";
import type { CommandContext } from "../context/context.ts";
import { CommandFailure, EXIT } from "../context/exit.ts";
import { takeLock } from "../../base/files/lock_file.ts";
import { resolve } from "../../base/plain_path.ts";
import { pollUntil } from "./self_start.ts";
import {
  LONGEST_START_MS,
  type ServiceStartOptions,
  startService,
  untilSettled,
} from "./service_start.ts";

/**
 * Connects to the running service, or starts it. `started` is false if it was already running. If several processes call
 * this function, one starts the service and the others wait for it. Throws CommandFailure if the service cannot start.
 */
export async function ensureService(
  app: CliApp,
  places: Places,
  options: ServiceStartOptions = {},
): Promise<{ client: Client; started: boolean }> {
  const found = await serviceOrTurn(app, places, options);
  if ("client" in found) return { client: found.client, started: false };
  using _turn = found.turn;
  return { client: await startService(app, places, options), started: true };
}

/**
 * Connects to the running service, or acquires the start lock if none runs. While the caller holds the lock, no other
 * process can start a service; disposing `turn` releases it. Throws CommandFailure if the service is silent or the lock is
 * not free in time.
 */
export async function serviceOrTurn(
  app: CliApp,
  places: Places,
  options: { signal?: AbortSignal } = {},
): Promise<{ client: Client } | { turn: Disposable }> {
  const running = await connectService(app, places, options);
  if (running !== undefined) return { client: running };
  await makeStateDir(places.stateDir);
  const late = `Another process is still starting the service. Its log is ${places.logFile}`;
  return await pollUntil(async () => {
    using taken = new DisposableStack();
    const turn = takeStartLock(places.stateDir);
    if (turn === undefined) {
      const client = await connectService(app, places, options);
      return client && { client };
    }
    taken.use(turn);
    // A service in the foreground starts without the start lock.
    const client = await untilSettled(app, places, options);
    return client === undefined ? { turn: taken.move() } : { client };
  }, { clock: app.clock, ms: LONGEST_START_MS, late, signal: options.signal });
}

/**
 * Connects to the service. If none runs, starts it and prints a note and the warnings about config.yaml. The caller must
 * dispose the client. Throws CommandFailure if the service cannot start.
 */
export async function openService(
  context: CommandContext,
  options: { signal?: AbortSignal } = {},
): Promise<Client> {
  const { app, output, workspace } = context;
  const { client, started } = await ensureService(app, await app.places(workspace), {
    onStart: () => output.note("Starting the service"),
    ...options,
  });
  using opened = new DisposableStack();
  opened.use(client);
  if (started) await warnOfConfig(context);
  opened.move();
  return client;
}

/**
 * Creates the state folder if it is missing. The start lock and the log file need the folder before the service runs.
 * Throws CommandFailure if the folder cannot be created.
 */
async function makeStateDir(stateDir: string): Promise<void> {
  try {
    await Deno.mkdir(stateDir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw stateDirUnusable(stateDir, { why: "it cannot be created", cause });
  }
}

/**
 * Acquires the start lock, and releases it when disposed. Returns undefined while another process holds it. Throws
 * CommandFailure if the state folder is not writable.
 */
function takeStartLock(stateDir: string): Disposable | undefined {
  try {
    return takeLock(resolve(stateDir, "start.lock"));
  } catch (cause) {
    throw stateDirUnusable(stateDir, { why: "nothing can be written to it", cause });
  }
}

function stateDirUnusable(
  stateDir: string,
  { why, cause }: { why: string; cause: unknown },
): CommandFailure {
  return new CommandFailure(
    EXIT.unreachable,
    `Cannot use the state directory ${stateDir}: ${why}. ` +
      "Set INKLING_STATE_DIR to a folder that you may write to",
    { cause },
  );
}
