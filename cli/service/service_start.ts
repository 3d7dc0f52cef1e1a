// Starts the service in the background and waits until it answers or has ended.
import type { Client } from "../../api/client/client.ts";
import type { CliApp, Places, TcpListen } from "../context/app.ts";
import { checkHealth, serviceSilent } from "./connection.ts";
import { CommandFailure, EXIT } from "../context/exit.ts";
import { isLocked } from "../../base/files/lock_file.ts";
import type { DetachedProcess } from "../context/processes.ts";
import { pollUntil, readEnd, sizeOf, spawnSelf } from "./self_start.ts";
import { serviceEnvironment } from "./service_environment.ts";

/** A longer start is reported as a failure. The process keeps running, because its database may be busy. */
const START_MS = 30_000;
/** The longest wait for the end of a stopping service. */
const STOPPING_MS = 20_000;
/** The longest duration of startService(). */
export const LONGEST_START_MS = START_MS + STOPPING_MS;

/** The start settings of a background service. */
export interface ServiceStartOptions {
  keepAlive?: boolean;
  tcp?: TcpListen;
  /** Called before a service is started; not called if one already runs. */
  onStart?: () => void;
  signal?: AbortSignal;
}

/**
 * Starts the service and resolves with a client when it answers. The caller must hold the start lock, and no service may
 * answer. Throws CommandFailure if it cannot start.
 */
export async function startService(
  app: CliApp,
  places: Places,
  options: ServiceStartOptions,
): Promise<Client> {
  await untilFree(app, places, options.signal);
  options.onStart?.();
  const logSize = await sizeOf(places.logFile);
  const child = await spawnService(app, places, options);
  const client = app.connect(places);
  try {
    await untilReady(app, places, { client, child, logSize, ...options });
    return client;
  } catch (error) {
    client[Symbol.dispose]();
    throw error;
  }
}

/** Waits until a stopping service has released its lock, because a new one could not start. Throws CommandFailure if it does not. */
export async function untilFree(app: CliApp, places: Places, signal?: AbortSignal): Promise<void> {
  const late = () =>
    new CommandFailure(
      EXIT.unreachable,
      `A service holds ${places.lockFile} but does not answer. "inkling stop" stops it`,
    );
  const isFree = () => isLocked(places.lockFile) ? undefined : true;
  await pollUntil(isFree, { clock: app.clock, ms: STOPPING_MS, late, signal });
}

function spawnService(
  app: CliApp,
  places: Places,
  { tcp, keepAlive }: ServiceStartOptions,
): Promise<DetachedProcess> {
  return spawnSelf(app, places, {
    words: [
      "start",
      // The log file already receives its standard output.
      "--quiet",
      ...(keepAlive ? ["--keep-alive"] : []),
      ...(tcp === undefined ? [] : ["--port", String(tcp.port), "--host", tcp.host]),
    ],
    // The environment has the key, because other users can read a process's arguments.
    environment: {
      ...serviceEnvironment(app.environment),
      ...(tcp !== undefined && { INKLING_API_KEY: tcp.apiKey }),
    },
    ...(tcp && { host: tcp.host }),
    what: "service",
    exitCode: EXIT.unreachable,
  });
}

async function untilReady(
  app: CliApp,
  places: Places,
  start: { client: Client; child: DetachedProcess; logSize: number; signal?: AbortSignal },
): Promise<void> {
  const { client, child, signal } = start;
  const { logFile } = places;
  const late = () =>
    new CommandFailure(
      EXIT.unreachable,
      `The service was started (PID ${child.pid}) but does not answer after ${
        START_MS / 1_000
      } s. ` +
        `Its log is ${logFile}`,
    );
  await pollUntil(async () => {
    // Read before the health: the child also ends if another service was faster, and that one is used.
    const { ended } = child;
    const health = await checkHealth(client, { clock: app.clock, ...(signal && { signal }) });
    if (health === "answers") return true;
    if (ended !== undefined) {
      const output = await readEnd(logFile, start.logSize);
      const reason = output === "" ? ` (exit code ${ended.code ?? "none"})` : `:\n${output}`;
      throw new CommandFailure(EXIT.unreachable, `The service did not start${reason}`);
    }
    if (health === "silent") throw serviceSilent(places);
    return undefined;
  }, { clock: app.clock, ms: START_MS, late, signal });
}
