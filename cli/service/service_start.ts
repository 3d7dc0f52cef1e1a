// Starts the service in the background, and waits until it answers or has ended.
import type { Client } from "../../api/client/client.ts";
import type { CliApp, Places, TcpListen } from "../context/app.ts";
import { checkHealth, connectService, serviceSilent } from "./connection.ts";
import { CommandFailure, EXIT } from "../context/exit.ts";
import { isLocked } from "../../base/files/lock_file.ts";
import type { DetachedProcess } from "../context/processes.ts";
import { pollUntil, readEnd, sizeOf, spawnSelf } from "./self_start.ts";
import { SERVICE_VARIABLES } from "./service_environment.ts";

/**
 * The time after which a start is reported as failed. The process is not killed, because it may be waiting for a busy
 * database.
 */
const START_MS = 30_000;
/** The maximum wait for a starting service to answer, or for a stopping service to end. */
const SETTLING_MS = 30_000;
/** The maximum duration of untilSettled() and startService(). */
export const LONGEST_START_MS = SETTLING_MS + START_MS;

/** The settings of a start of the background service. */
export interface ServiceStartOptions {
  keepAlive?: boolean;
  tcp?: TcpListen;
  /** Called before the service process is started. Not called if a service already runs. */
  onStart?: () => void;
  signal?: AbortSignal;
}

/**
 * Starts the service, and resolves with a client when the service answers. The caller must hold the start lock, and no
 * service may be running. Throws CommandFailure if the service cannot start.
 */
export async function startService(
  app: CliApp,
  places: Places,
  options: ServiceStartOptions,
): Promise<Client> {
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

/**
 * Waits while a service holds its lock and does not listen, because it is starting or stopping. Returns a client of the
 * service that has started, or undefined if no service runs. Throws CommandFailure after SETTLING_MS.
 */
export async function untilSettled(
  app: CliApp,
  places: Places,
  options: { signal?: AbortSignal } = {},
): Promise<Client | undefined> {
  const late = `A service holds ${places.lockFile} but does not answer. "inkling stop" stops it`;
  const { client } = await pollUntil(async () => {
    const client = await connectService(app, places, options);
    return client !== undefined || !isLocked(places.lockFile) ? { client } : undefined;
  }, { clock: app.clock, ms: SETTLING_MS, late, signal: options.signal });
  return client;
}

function spawnService(
  app: CliApp,
  places: Places,
  { tcp, keepAlive }: ServiceStartOptions,
): Promise<DetachedProcess> {
  return spawnSelf(app, places, {
    words: [
      "start",
      // The process writes its log to the log file. Without --quiet, its standard output would repeat the start there.
      "--quiet",
      ...(keepAlive ? ["--keep-alive"] : []),
      ...(tcp === undefined ? [] : ["--port", String(tcp.port), "--host", tcp.host]),
    ],
    // The key is passed in the environment, because other users can read the arguments of a process.
    environment: {
      ...SERVICE_VARIABLES,
      ...app.environment,
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
  const late =
    `The service was started (PID ${child.pid}) but does not answer after ${START_MS / 1_000} s. ` +
    `Its log is ${logFile}`;
  await pollUntil(async () => {
    // Read `ended` before the health check, so that the health is checked once more after the child's end. The child ends
    // if another service was started earlier, and the client then uses that service, which may still be starting.
    const { ended } = child;
    const health = await checkHealth(client, { clock: app.clock, ...(signal && { signal }) });
    if (health === "answers") return true;
    if (ended !== undefined && !isLocked(places.lockFile)) {
      const output = await readEnd(logFile, start.logSize);
      const reason = output === "" ? ` (exit code ${ended.code ?? "none"})` : `:\n${output}`;
      throw new CommandFailure(EXIT.unreachable, `The service did not start${reason}`);
    }
    if (health === "silent") throw serviceSilent(places);
    return undefined;
  }, { clock: app.clock, ms: START_MS, late, signal });
}
