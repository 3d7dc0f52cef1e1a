// Finding the service: a client of the running one, or the same application in this process.
import { type Client, ServiceUnreachable } from "../server/client.ts";
import type { CliApp, Clock, LocalService, Places } from "./app.ts";
import { DeadlineExceeded, withDeadline } from "./deadline.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { isLocked } from "./lock_file.ts";

/** A service that accepts a connection and says nothing for so long is not well. */
const HEALTH_MS = 5_000;

/** How the service stands: it answers, nobody listens, or somebody listens and does not answer. */
export type Health = "answers" | "absent" | "silent";

/** Asks the service whether it is there. Rejects with the signal's reason when that aborts. */
export async function checkHealth(
  client: Client,
  options: { clock: Clock; signal?: AbortSignal },
): Promise<Health> {
  const { clock, signal } = options;
  try {
    await withDeadline(clock, (signal) => client.health({ signal }), {
      ms: HEALTH_MS,
      ...(signal && { signal }),
    });
    return "answers";
  } catch (error) {
    if (error instanceof ServiceUnreachable) return "absent";
    if (error instanceof DeadlineExceeded) return "silent";
    throw error;
  }
}

/** A client of the running service; undefined when none runs. Throws CommandFailure when one runs and is silent. */
export async function connectService(
  app: CliApp,
  places: Places,
  options: { signal?: AbortSignal } = {},
): Promise<Client | undefined> {
  const client = app.connect(places);
  try {
    const health = await checkHealth(client, { clock: app.clock, ...options });
    if (health === "silent") throw serviceSilent(places);
    if (health === "answers") return client;
  } catch (error) {
    client[Symbol.dispose]();
    throw error;
  }
  client[Symbol.dispose]();
  return undefined;
}

/** What to tell about a service that accepts connections and does not answer. */
export function serviceSilent(places: Places): CommandFailure {
  return new CommandFailure(
    EXIT.unreachable,
    `The service does not answer on ${places.socketFile}. ` +
      `"inkling stop" ends it; its log is ${places.logFile}`,
  );
}

/** Somebody who answers questions about the past. */
export interface Reader extends LocalService {
  /** Whether it is the service; else nothing fires, and nothing runs. */
  readonly isService: boolean;
}

/** The running service, else the same application in this process, read-only: nothing is left running. */
export async function openReader(app: CliApp, workspace?: string): Promise<Reader> {
  const client = await connectService(app, await app.places(workspace));
  if (client === undefined) {
    const local = await app.openLocalService(workspace === undefined ? {} : { workspace });
    return {
      client: local.client,
      isService: false,
      [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
    };
  }
  return {
    client,
    isService: true,
    [Symbol.asyncDispose]: () => Promise.resolve(client[Symbol.dispose]()),
  };
}

/** The PID in the PID file of a service that is certainly alive; undefined when none is, null when it is unreadable. */
export async function readLivePid(places: Places): Promise<number | null | undefined> {
  // The lock tells the truth; a PID file alone may be left over, and its number may be somebody else's by now.
  if (!(await isLocked(places.lockFile))) return undefined;
  try {
    const pid = Number((await Deno.readTextFile(places.pidFile)).trim());
    return Number.isSafeInteger(pid) && pid > 1 ? pid : null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
