// Manages the background process of `inkling ui --background`. The process serves the page until it is stopped, or until no
// service has answered for ten minutes. It holds a lock while it runs, and writes its PID and port to a file.
import { isLocked, takeLock } from "../../base/files/lock_file.ts";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { join } from "../../base/plain_path.ts";
import { MINUTE_MS, SECOND_MS } from "../../base/time_units.ts";
import type { CliApp, Places } from "../context/app.ts";
import { commandFailed, EXIT } from "../context/exit.ts";
import { checkHealth } from "./connection.ts";
import { pollUntil, readEnd, sizeOf, spawnSelf } from "./self_start.ts";

/**
 * The environment variable that makes a process with `ui --background` serve the page. Without the variable, the command
 * starts such a process.
 */
export const SERVES_PAGE = "INKLING_UI_SERVES";
/** The time without a running service after which the process ends. Time in which the machine sleeps does not count. */
export const ALONE_MS = 10 * MINUTE_MS;

const CHECK_MS = 30 * SECOND_MS;
const START_MS = 30 * SECOND_MS;
const STOP_MS = 5 * SECOND_MS;

/** The PID of the background process, and the port at which it serves the page. */
export interface BackgroundPage {
  pid: number;
  port: number;
}

/** Returns the running background process, or undefined. */
export async function findBackgroundPage(places: Places): Promise<BackgroundPage | undefined> {
  const text = await Deno.readTextFile(pageFile(places)).catch(ignoreMissing);
  // A killed process leaves its file behind, but the operating system releases its lock.
  if (text === undefined || !isLocked(lockFile(places))) return undefined;
  return JSON.parse(text);
}

/**
 * Starts the background process and waits until it listens. Throws CommandFailure if it ends or does not listen in time.
 */
export async function startBackgroundPage(
  app: CliApp,
  places: Places,
  signal: AbortSignal,
): Promise<BackgroundPage> {
  const { logFile } = places;
  const logSize = await sizeOf(logFile);
  const child = await spawnSelf(app, places, {
    words: ["ui", "--background", "--quiet"],
    environment: { ...app.environment, [SERVES_PAGE]: "1" },
    what: "page",
    exitCode: EXIT.failed,
  });
  const late =
    `The page was started (PID ${child.pid}) but does not listen after ${
      START_MS / SECOND_MS
    } s. ` +
    `Its log is ${logFile}`;
  return await pollUntil(async () => {
    // Read `ended` before the file, so that the file is read once more after the child's end.
    const { ended } = child;
    const text = await Deno.readTextFile(pageFile(places)).catch(ignoreMissing);
    const page: BackgroundPage | undefined = text === undefined ? undefined : JSON.parse(text);
    if (page?.pid === child.pid) return page;
    if (ended === undefined) return undefined;
    // The child ends if another background process was started earlier. Return that process.
    const other = await findBackgroundPage(places);
    if (other !== undefined) return other;
    const output = await readEnd(logFile, logSize);
    throw commandFailed(`The page could not be started:\n${output}`);
  }, { clock: app.clock, ms: START_MS, late, exitCode: EXIT.failed, signal });
}

/**
 * Stops the background process and returns its PID and port, or undefined if none runs. Throws CommandFailure if the
 * process does not end.
 */
export async function stopBackgroundPage(
  app: CliApp,
  places: Places,
): Promise<BackgroundPage | undefined> {
  const page = await findBackgroundPage(places);
  if (page === undefined) return undefined;
  await app.processes.signal(page.pid, "SIGTERM");
  const late = `The page (PID ${page.pid}) has not ended. End it with "kill -9 ${page.pid}"`;
  const hasEnded = () => isLocked(lockFile(places)) ? undefined : true;
  await pollUntil(hasEnded, { clock: app.clock, ms: STOP_MS, late, exitCode: EXIT.failed });
  await Deno.remove(pageFile(places)).catch(ignoreMissing);
  return page;
}

/**
 * Writes the PID and port of this process to the file, and holds the lock until disposed. Returns undefined if another
 * process holds the lock.
 */
export async function announcePage(
  places: Places,
  page: BackgroundPage,
): Promise<AsyncDisposable | undefined> {
  const lock = takeLock(lockFile(places));
  if (lock === undefined) return undefined;
  await writeFileAtomically(pageFile(places), JSON.stringify(page), { mode: 0o600 });
  return {
    async [Symbol.asyncDispose]() {
      await Deno.remove(pageFile(places)).catch(ignoreMissing);
      lock[Symbol.dispose]();
    },
  };
}

/** Resolves when no service has answered for ALONE_MS. Rejects with the reason of an aborted `signal`. */
export async function untilAlone(app: CliApp, places: Places, signal: AbortSignal): Promise<void> {
  using client = app.connect(places);
  // Adds up the intervals between checks instead of comparing clock times, so that the machine's sleep does not count.
  for (let aloneMs = 0; aloneMs < ALONE_MS;) {
    await app.clock.sleep(CHECK_MS, signal);
    const health = await checkHealth(client, { clock: app.clock, signal });
    aloneMs = health === "absent" ? aloneMs + CHECK_MS : 0;
  }
}

const lockFile = ({ stateDir }: Places) => join(stateDir, "ui.lock");
const pageFile = ({ stateDir }: Places) => join(stateDir, "ui.json");
