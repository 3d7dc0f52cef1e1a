// Starts this program again as a background process, polls until it is ready, and reads the end of its log.
import { ignoreMissing } from "../../base/files/missing.ts";
import type { CliApp, Clock, PermissionOptions, Places } from "../context/app.ts";
import { CommandFailure, EXIT, type ExitCode } from "../context/exit.ts";
import { sanitize } from "../output/sanitize.ts";
import type { DetachedProcess } from "../context/processes.ts";

/**
 * Returns the command that starts the service. Decision: a process with restricted permissions starts the service with the
 * flags that config.yaml and the agents require now, so that new requirements are included. Rejected: passing on the flags
 * of this process, because no process can read its flags.
 */
export async function serviceCommand(
  app: CliApp,
  options: PermissionOptions,
): Promise<readonly string[]> {
  if (!app.isConfined) return app.selfCommand;
  return (await app.permissions(options)).command ?? app.selfCommand;
}

/**
 * Starts this program with the arguments in `words`, and appends its output to the log file. Throws CommandFailure if the
 * operating system cannot start the program.
 */
export async function spawnSelf(
  app: CliApp,
  places: Places,
  options: {
    words: readonly string[];
    environment: Readonly<Record<string, string>>;
    host?: string;
    /** The subject of the error message: `service` or `page`. */
    what: string;
    /** The exit code of the error. */
    exitCode: ExitCode;
  },
): Promise<DetachedProcess> {
  const { words, environment, host, what, exitCode } = options;
  const command = [
    ...await serviceCommand(app, { workspace: places.workspace, host }),
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

/** The intervals between polls: they grow with the elapsed time, from the shortest to the longest. */
const SHORTEST_POLL_MS = 50;
const LONGEST_POLL_MS = 500;

/**
 * Calls `check` repeatedly until it returns a value, and returns that value. Throws CommandFailure with the message `late`
 * after `ms`.
 */
export async function pollUntil<Found>(
  check: () => Found | undefined | Promise<Found | undefined>,
  { late, exitCode = EXIT.unreachable, ...limits }: Parameters<typeof pollFor>[1] & {
    late: string;
    exitCode?: ExitCode;
  },
): Promise<Found> {
  const found = await pollFor(check, limits);
  if (found === undefined) throw new CommandFailure(exitCode, late);
  return found;
}

/** Calls `check` repeatedly until it returns a value, and returns that value. Returns undefined after `ms`. */
export async function pollFor<Found>(
  check: () => Found | undefined | Promise<Found | undefined>,
  { clock, ms, signal }: { clock: Clock; ms: number; signal?: AbortSignal | undefined },
): Promise<Found | undefined> {
  const startedAt = clock.now();
  for (;;) {
    const found = await check();
    if (found !== undefined) return found;
    const elapsed = clock.now() - startedAt;
    if (elapsed >= ms) return undefined;
    const wait = Math.min(LONGEST_POLL_MS, Math.max(SHORTEST_POLL_MS, elapsed / 5));
    await clock.sleep(wait, signal);
  }
}

const SHOWN_LINES = 15;
const SHOWN_BYTES = 8_192;

/** Returns the size of a file in bytes, or 0 for a missing file. */
export async function sizeOf(path: string): Promise<number> {
  return (await Deno.stat(path).catch(ignoreMissing))?.size ?? 0;
}

/** Matches DEBUG and INFO lines of the log, which do not explain a failed start. */
const ROUTINE_LINE = /^\d{4}-\S+Z (DEBUG|INFO) /;

/**
 * Returns the last lines of a log file that were appended since the file had `size` bytes. Control characters are removed.
 * Lines of the levels DEBUG and INFO are omitted, unless there are no other lines.
 */
export async function readEnd(path: string, size: number): Promise<string> {
  using file = await Deno.open(path, { read: true });
  const now = (await file.stat()).size;
  // A file that is smaller than before was rotated, so its whole content is new.
  const from = Math.max(now < size ? 0 : size, now - SHOWN_BYTES);
  await file.seek(from, Deno.SeekMode.Start);
  const text = await new Response(file.readable).text();
  const lines = sanitize(text).trim().split("\n");
  const notable = lines.filter((line) => !ROUTINE_LINE.test(line));
  return (notable.length === 0 ? lines : notable).slice(-SHOWN_LINES).join("\n");
}
