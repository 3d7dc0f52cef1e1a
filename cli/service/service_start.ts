// One start of the service in the background: detached, until it answers or is dead.
import type { Client } from "../../api/client/client.ts";
import type { CliApp, Places, TcpListen } from "../app.ts";
import { checkHealth, serviceSilent } from "./connection.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { isLocked } from "../../base/lock_file.ts";
import type { DetachedProcess } from "./processes.ts";
import { pollUntil, readEnd, sizeOf, spawnSelf } from "./self_start.ts";
import { serviceEnvironment } from "./service_environment.ts";

/** A start that takes longer is reported; the process is left alone, it may be busy with its database. */
const START_MS = 30_000;
/** How long a service that is going down may take before a new one can start. */
const GOING_MS = 20_000;
/** The longest that startService takes. */
export const LONGEST_START_MS = START_MS + GOING_MS;

/** What a background service is started with. */
export interface ServiceStartOptions {
  keepAlive?: boolean;
  tcp?: TcpListen;
  /** Called when a start begins, not when the service turns out to run already. */
  onStart?: () => void;
  signal?: AbortSignal;
}

/**
 * Starts the service; resolves with a client of it once it answers. Only for the holder of the start lock, and when none
 * answers. Throws CommandFailure when it cannot be started.
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

/**
 * Waits while a service that no longer listens still holds its lock: it is going down, a new one would be refused. Throws
 * CommandFailure when it stays.
 */
export async function untilFree(app: CliApp, places: Places, signal?: AbortSignal): Promise<void> {
  const late = () =>
    new CommandFailure(
      EXIT.unreachable,
      `A service holds ${places.lockFile} but does not answer. "inkling stop" ends it`,
    );
  const isFree = () => isLocked(places.lockFile) ? undefined : true;
  await pollUntil(isFree, { clock: app.clock, ms: GOING_MS, late, signal });
}

function spawnService(
  app: CliApp,
  places: Places,
  { tcp, keepAlive }: ServiceStartOptions,
): Promise<DetachedProcess> {
  return spawnSelf(app, places, {
    words: [
      "start",
      // Its standard output is the log file already.
      "--quiet",
      ...(keepAlive ? ["--keep-alive"] : []),
      ...(tcp === undefined ? [] : ["--port", String(tcp.port), "--host", tcp.host]),
    ],
    // The process list shows arguments, not the environment.
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
    // Asked before the health: the child may have ended because another service was faster, and that one will do.
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
