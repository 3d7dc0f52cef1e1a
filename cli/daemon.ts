// Starting the service in the background: detached, one starter at a time, until it answers or is dead.
import type { Client } from "../server/client.ts";
import type { CliApp, Places, TcpListen } from "./app.ts";
import { type CommandContext, workspaceOf } from "./context.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { isLocked, takeLock } from "./lock_file.ts";
import { sanitise } from "./output/sanitise.ts";
import type { DetachedProcess } from "./processes.ts";
import { serviceCommand } from "./service_command.ts";
import { checkHealth, connectService, serviceSilent } from "./connection.ts";
import { PATHS } from "../runtime/plain_path.ts";

const { resolve } = PATHS;

/** Between two looks: short at first, for a quick start must not wait, then ever longer. */
const SHORTEST_POLL_MS = 50;
const LONGEST_POLL_MS = 500;
/** A start that takes longer is reported; the process is left alone, it may be busy with its database. */
const START_MS = 30_000;
/** How long a service that is going down may take before a new one can start. */
const GOING_MS = 20_000;
const SHOWN_LINES = 15;
const SHOWN_BYTES = 8_192;

/** What a background service is started with. */
export interface DaemonOptions {
  keepAlive?: boolean;
  tcp?: TcpListen;
  /** Called when a start begins, not when the service turns out to run already. */
  onStart?: () => void;
  signal?: AbortSignal;
}

/** A client of a service that answers, and whether it had to be started. */
export interface EnsuredService {
  client: Client;
  started: boolean;
}

/**
 * A client of the running service, which is started when there is none. Of several callers at once only one starts it;
 * the others wait. Throws CommandFailure when it cannot be started.
 */
export async function ensureService(
  app: CliApp,
  places: Places,
  options: DaemonOptions = {},
): Promise<EnsuredService> {
  const running = await connectService(app, places, options);
  if (running !== undefined) return { client: running, started: false };
  await makeStateDir(places.stateDir);
  const startedAt = app.clock.now();
  for (;;) {
    using lock = await takeStartLock(places.stateDir);
    const client = await connectService(app, places, options);
    if (client !== undefined) return { client, started: false };
    if (lock !== undefined) return await startDaemon(app, places, options);
    const elapsed = app.clock.now() - startedAt;
    if (elapsed >= START_MS + GOING_MS) {
      throw new CommandFailure(
        EXIT.unreachable,
        `Another start of the service does not come to an end. Its log is ${places.logFile}`,
      );
    }
    await app.clock.sleep(pollDelay(elapsed), options.signal);
  }
}

/** The start lock and the log file lie in it, so it is needed before there is a service that would make it. */
async function makeStateDir(stateDir: string): Promise<void> {
  try {
    await Deno.mkdir(stateDir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw stateDirUnusable(stateDir, { why: "it cannot be made there", cause });
  }
}

async function takeStartLock(stateDir: string): Promise<Disposable | undefined> {
  try {
    return await takeLock(resolve(stateDir, "start.lock"));
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

/** A client of the service, which is started, and the person told, where none runs. Disposing is the caller's. */
export async function openService(
  { app, output, workspace }: CommandContext,
  options: { signal?: AbortSignal } = {},
): Promise<Client> {
  const { client } = await ensureService(app, await app.places(workspace), {
    onStart: () => output.note("Starting the service"),
    ...options,
  });
  return client;
}

/** Starts the service. Only for the holder of the start lock, and when none answers. */
async function startDaemon(
  app: CliApp,
  places: Places,
  options: DaemonOptions,
): Promise<EnsuredService> {
  await untilFree(app, places, options.signal);
  options.onStart?.();
  const logSize = await sizeOf(places.logFile);
  const child = await spawnService(app, places, options);
  const client = app.connect(places);
  try {
    await untilReady(app, places, { client, child, logSize, ...options });
    return { client, started: true };
  } catch (error) {
    client[Symbol.dispose]();
    throw error;
  }
}

async function untilReady(
  app: CliApp,
  places: Places,
  start: { client: Client; child: DetachedProcess; logSize: number; signal?: AbortSignal },
): Promise<void> {
  const { client, child, signal } = start;
  const startedAt = app.clock.now();
  for (;;) {
    // Asked before the health: the child may have ended because another service was faster, and that one will do.
    const { ended } = child;
    const health = await checkHealth(client, { clock: app.clock, ...(signal && { signal }) });
    if (health === "answers") return;
    if (ended !== undefined) {
      const output = await readEnd(places.logFile, start.logSize);
      const reason = output === "" ? ` (exit code ${ended.code ?? "none"})` : `:\n${output}`;
      throw new CommandFailure(EXIT.unreachable, `The service did not start${reason}`);
    }
    if (health === "silent") throw serviceSilent(places);
    const elapsed = app.clock.now() - startedAt;
    if (elapsed >= START_MS) {
      throw new CommandFailure(
        EXIT.unreachable,
        `The service was started (PID ${child.pid}) but does not answer after ${
          START_MS / 1_000
        } s. ` +
          `Its log is ${places.logFile}`,
      );
    }
    await app.clock.sleep(pollDelay(elapsed), signal);
  }
}

async function spawnService(
  app: CliApp,
  places: Places,
  options: DaemonOptions,
): Promise<DetachedProcess> {
  const { tcp } = options;
  const command = [
    ...await serviceCommand(app, { ...workspaceOf(places), ...(tcp && { host: tcp.host }) }),
    "start",
    // Its standard output is the log file already.
    "--quiet",
    ...(options.keepAlive ? ["--keep-alive"] : []),
    ...(tcp === undefined ? [] : ["--port", String(tcp.port), "--host", tcp.host]),
    ...(places.workspace === undefined ? [] : ["--workspace", places.workspace]),
  ];
  const { logFile } = places;
  // Arguments stand in the process list, the environment does not.
  const environment = {
    ...app.environment,
    ...(tcp !== undefined && { INKLING_API_KEY: tcp.apiKey }),
  };
  try {
    return await app.processes.spawnDetached(command, { logFile, environment });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandFailure(EXIT.unreachable, `The service could not be started: ${reason}`, {
      cause,
    });
  }
}

/** Waits while a service that listens no more still holds its lock: it is going down, a new one would be refused. */
async function untilFree(app: CliApp, places: Places, signal?: AbortSignal): Promise<void> {
  const startedAt = app.clock.now();
  while (await isLocked(places.lockFile)) {
    const elapsed = app.clock.now() - startedAt;
    if (elapsed >= GOING_MS) {
      throw new CommandFailure(
        EXIT.unreachable,
        `A service holds ${places.lockFile} but does not answer. "inkling stop" ends it`,
      );
    }
    await app.clock.sleep(pollDelay(elapsed), signal);
  }
}

function pollDelay(elapsedMs: number): number {
  return Math.min(LONGEST_POLL_MS, Math.max(SHORTEST_POLL_MS, elapsedMs / 5));
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await Deno.stat(path)).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

/** The last lines that a file got since it had `size` bytes. */
async function readEnd(path: string, size: number): Promise<string> {
  using file = await Deno.open(path, { read: true });
  const now = (await file.stat()).size;
  // A file that is smaller than it was has been rotated: all of it is new.
  const from = Math.max(now < size ? 0 : size, now - SHOWN_BYTES);
  await file.seek(from, Deno.SeekMode.Start);
  const text = await new Response(file.readable).text();
  return sanitise(text).trim().split("\n").slice(-SHOWN_LINES).join("\n");
}
