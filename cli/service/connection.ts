// Connects to the running service, or opens the same application in this process.
import { type Client, ServiceUnreachable } from "../../api/client/client.ts";
import type { CliApp, Clock, LocalService, Places, WorkspaceOption } from "../context/app.ts";
import { workspaceOf } from "../context/context.ts";
import { DeadlineExceeded, withDeadline } from "../context/deadline.ts";
import { CommandFailure, EXIT } from "../context/exit.ts";
import { isLocked } from "../../base/files/lock_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

/** A service that accepts a connection but does not answer within this time is `silent`. */
const HEALTH_MS = 5_000;

/** The state of the service: it answers, nothing listens, or it listens and does not answer. */
export type Health = "answers" | "absent" | "silent";

/** The first request to a service. The signal aborts it after HEALTH_MS. */
export type FirstRequest<Answer> = (
  client: Client,
  options: { signal?: AbortSignal },
) => Promise<Answer>;

/** Requests the state of the service. Rejects with the signal's reason. */
export async function checkHealth(
  client: Client,
  options: { clock: Clock; signal?: AbortSignal },
): Promise<Health> {
  const result = await requestFirst(client, (client, options) => client.health(options), options);
  return typeof result === "string" ? result : "answers";
}

/** Requests the state of a workspace's service. */
export async function healthOf(app: CliApp, workspace: string | undefined): Promise<Health> {
  using client = app.connect(await app.places(workspace));
  return await checkHealth(client, app);
}

async function requestFirst<Answer>(
  client: Client,
  request: FirstRequest<Answer>,
  { clock, signal }: { clock: Clock; signal?: AbortSignal },
): Promise<{ answer: Answer } | Exclude<Health, "answers">> {
  try {
    const answer = await withDeadline(clock, (signal) => request(client, { signal }), {
      ms: HEALTH_MS,
      ...(signal && { signal }),
    });
    return { answer };
  } catch (error) {
    if (error instanceof ServiceUnreachable) return "absent";
    if (error instanceof DeadlineExceeded) return "silent";
    throw error;
  }
}

/** Returns a client of the running service, or undefined if none runs. Throws CommandFailure if it is silent. */
export async function connectService(
  app: CliApp,
  places: Places,
  options: { signal?: AbortSignal } = {},
): Promise<Client | undefined> {
  const reached = await reach(app, places, {
    ...options,
    request: (client, options) => client.health(options),
  });
  return reached?.client;
}

/** Returns a client of the running service and its first answer, or undefined if none runs. Throws as connectService() does. */
async function reach<Answer>(
  app: CliApp,
  places: Places,
  { request, ...options }: { request: FirstRequest<Answer>; signal?: AbortSignal },
): Promise<{ client: Client; answer: Answer } | undefined> {
  const client = app.connect(places);
  try {
    const result = await requestFirst(client, request, { clock: app.clock, ...options });
    if (result === "silent") throw serviceSilent(places);
    if (result !== "absent") return { client, ...result };
  } catch (error) {
    client[Symbol.dispose]();
    throw error;
  }
  client[Symbol.dispose]();
  return undefined;
}

/** Returns the error for a service that accepts connections but does not answer. */
export function serviceSilent(places: Places): CommandFailure {
  return new CommandFailure(
    EXIT.unreachable,
    `The service does not answer on ${places.socketFile}. ` +
      `"inkling stop" stops it; its log is ${places.logFile}`,
  );
}

/** A client that can read agents and history. */
export interface Reader extends LocalService {
  /** True for the running service; false for the application in this process, which fires and runs nothing. */
  readonly isService: boolean;
}

/** Connects to the running service, or opens the application in this process, read-only and without triggers. */
export async function openReader(app: CliApp, workspace?: string): Promise<Reader> {
  const of = workspace === undefined ? {} : { workspace };
  return (await readFirst(app, (client, options) => client.health(options), of)).reader;
}

/** Opens a reader as openReader() does, with the answer to a first request. */
export async function readFirst<Answer>(
  app: CliApp,
  request: FirstRequest<Answer>,
  of: WorkspaceOption,
): Promise<{ reader: Reader; answer: Answer }> {
  const reached = await reach(app, await app.places(of.workspace), { request });
  if (reached !== undefined) {
    const { client, answer } = reached;
    const dispose = () => Promise.resolve(client[Symbol.dispose]());
    return { answer, reader: { client, isService: true, [Symbol.asyncDispose]: dispose } };
  }
  await using opened = new AsyncDisposableStack();
  const local = opened.use(await app.openLocalService(workspaceOf(of)));
  const { client } = local;
  const answer = await request(client, {});
  const kept = opened.move();
  const dispose = () => kept.disposeAsync();
  return { answer, reader: { client, isService: false, [Symbol.asyncDispose]: dispose } };
}

/** Returns the PID of a live service from its PID file; undefined if no service lives, null if the file is unreadable. */
export async function readLivePid(places: Places): Promise<number | null | undefined> {
  // Only the lock is reliable: a killed service leaves its PID file, and another process may have that PID.
  if (!isLocked(places.lockFile)) return undefined;
  const pid = Number((await Deno.readTextFile(places.pidFile).catch(ignoreMissing))?.trim());
  return Number.isSafeInteger(pid) && pid > 1 ? pid : null;
}
