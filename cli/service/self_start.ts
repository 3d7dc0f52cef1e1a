// Starts this program again in the background: the command, the polling, and the last lines of its log.
import { ignoreMissing } from "../../base/files/missing.ts";
import type { CliApp, Clock, PermissionOptions, Places } from "../context/app.ts";
import { workspaceOf } from "../context/context.ts";
import { CommandFailure, type ExitCode } from "../context/exit.ts";
import { sanitize } from "../output/sanitize.ts";
import type { DetachedProcess } from "../context/processes.ts";

/**
 * Returns the program and first arguments of the service. Decision: a confined program starts it with the flags that
 * config.yaml and the agents need now, so that new ones are included (rejected: passing its own flags on, because no
 * process can read them).
 */
export async function serviceCommand(
  app: CliApp,
  options: PermissionOptions,
): Promise<readonly string[]> {
  if (!app.isConfined) return app.selfCommand;
  return (await app.permissions(options)).command ?? app.selfCommand;
}

/** Starts this program with these arguments and appends its output to the log. Throws CommandFailure. */
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

/** The interval of a poll grows from the shortest to the longest. */
const SHORTEST_POLL_MS = 50;
const LONGEST_POLL_MS = 500;

/** Calls `check` until it returns a value. Throws the error of `late` after `ms`. */
export async function pollUntil<Found>(
  check: () => Found | undefined | Promise<Found | undefined>,
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
    const found = await check();
    if (found !== undefined) return found;
    const elapsed = clock.now() - startedAt;
    if (elapsed >= ms) throw late();
    const wait = Math.min(LONGEST_POLL_MS, Math.max(SHORTEST_POLL_MS, elapsed / 5));
    await clock.sleep(wait, signal);
  }
}

const SHOWN_LINES = 15;
const SHOWN_BYTES = 8_192;

/** Returns the size of a file in bytes; 0 for a missing file. */
export async function sizeOf(path: string): Promise<number> {
  return (await Deno.stat(path).catch(ignoreMissing))?.size ?? 0;
}

/** Matches the routine lines of a start, which do not explain a failure. */
const ROUTINE_LINE = /^\d{4}-\S+Z (DEBUG|INFO) /;

/**
 * Returns the last lines that were appended to a file since it had `size` bytes, sanitized. Routine lines of the service's
 * log are left out if there are other lines.
 */
export async function readEnd(path: string, size: number): Promise<string> {
  using file = await Deno.open(path, { read: true });
  const now = (await file.stat()).size;
  // A smaller file was rotated, so all of it is new.
  const from = Math.max(now < size ? 0 : size, now - SHOWN_BYTES);
  await file.seek(from, Deno.SeekMode.Start);
  const text = await new Response(file.readable).text();
  const lines = sanitize(text).trim().split("\n");
  const notable = lines.filter((line) => !ROUTINE_LINE.test(line));
  return (notable.length === 0 ? lines : notable).slice(-SHOWN_LINES).join("\n");
}
