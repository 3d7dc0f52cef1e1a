// This program started again in the background: the command for it, the waits for what it does, and its last words where it
// ends at once.
import { ignoreMissing } from "../../base/files/missing.ts";
import type { CliApp, Clock, PermissionOptions, Places } from "../app.ts";
import { workspaceOf } from "../context.ts";
import { CommandFailure, type ExitCode } from "../exit.ts";
import { sanitise } from "../output/sanitise.ts";
import type { DetachedProcess } from "./processes.ts";

/**
 * Program and first arguments of the service. Decision: a confined program starts it with the flags that config.yaml and the
 * agents ask for now, not with its own, so that what was added since is in them (rejected: handing flags on, for no
 * process can ask which ones it has).
 */
export async function serviceCommand(
  app: CliApp,
  options: PermissionOptions,
): Promise<readonly string[]> {
  if (!app.isConfined) return app.selfCommand;
  return (await app.permissions(options)).command ?? app.selfCommand;
}

/** Starts this program with these words, its output in the log. Throws CommandFailure. */
export async function spawnSelf(
  app: CliApp,
  places: Places,
  options: {
    words: readonly string[];
    environment: Readonly<Record<string, string>>;
    host?: string;
    /** The name of the program in the error (`service`), and the exit code of that error. */
    what: string;
    exitCode: ExitCode;
  },
): Promise<DetachedProcess> {
  const { words, environment, host, what, exitCode } = options;
  const command = [
    ...await serviceCommand(app, { ...workspaceOf(places), ...(host !== undefined && { host }) }),
    ...words,
    ...(places.workspace === undefined ? [] : ["--workspace", places.workspace]),
  ];
  try {
    const { logFile } = places;
    return await app.processes.spawnDetached(command, { logFile, environment });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandFailure(exitCode, `The ${what} could not be started: ${reason}`, { cause });
  }
}

/** Between two looks: short at first, for a quick start must not wait, then ever longer. */
const SHORTEST_POLL_MS = 50;
const LONGEST_POLL_MS = 500;

/** Looks again and again until there is something. After `ms` it throws what `late` gives. */
export async function pollUntil<Found>(
  look: () => Found | undefined | Promise<Found | undefined>,
  options: {
    clock: Clock;
    ms: number;
    late: () => CommandFailure;
    signal?: AbortSignal | undefined;
  },
): Promise<Found> {
  const { clock, ms, late, signal } = options;
  const startedAt = clock.now();
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    const elapsed = clock.now() - startedAt;
    if (elapsed >= ms) throw late();
    const wait = Math.min(LONGEST_POLL_MS, Math.max(SHORTEST_POLL_MS, elapsed / 5));
    await clock.sleep(wait, signal);
  }
}

const SHOWN_LINES = 15;
const SHOWN_BYTES = 8_192;

/** Bytes of a file; 0 where it is not there. */
export async function sizeOf(path: string): Promise<number> {
  return (await Deno.stat(path).catch(ignoreMissing))?.size ?? 0;
}

/** Matches the routine lines of a start. They are left out of the report, which shows the reason of a failure. */
const ROUTINE_LINE = /^\d{4}-\S+Z (DEBUG|INFO) /;

/**
 * The last lines that a file got since it had `size` bytes, fit for a terminal; without the routine lines of a service log,
 * where there are others.
 */
export async function readEnd(path: string, size: number): Promise<string> {
  using file = await Deno.open(path, { read: true });
  const now = (await file.stat()).size;
  // A file that is smaller than it was has been rotated: all of it is new.
  const from = Math.max(now < size ? 0 : size, now - SHOWN_BYTES);
  await file.seek(from, Deno.SeekMode.Start);
  const text = await new Response(file.readable).text();
  const lines = sanitise(text).trim().split("\n");
  const telling = lines.filter((line) => !ROUTINE_LINE.test(line));
  return (telling.length === 0 ? lines : telling).slice(-SHOWN_LINES).join("\n");
}
