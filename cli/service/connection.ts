// Connects to the running service, or opens its API in this process.
import { type Client, ServiceUnreachable } from "../../api/client/client.ts";
import type { InfoBody } from "../../api/schemas/info_schemas.ts";
import type { CliApp, Clock, LocalService, Places, WorkspaceOption } from "../context/app.ts";
import { DeadlineExceeded, withDeadline } from "../context/deadline.ts";
import { CommandFailure, EXIT } from "../context/exit.ts";
import { isLocked } from "../../base/files/lock_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

/**
 * The time limit of the first request. A service that accepts the connection but does not answer in this time is `silent`.
 */
const HEALTH_MS = 5_000;

/**
 * The state of the service. `absent`: no process listens on the socket. `silent`: a process listens but does not answer.
 */
export type Health = "answers" | "absent" | "silent";

/** A function that sends the first request to a service. Its signal aborts the request after the time limit. */
export type FirstRequest<Answer> = (
  client: Client,
  options: { signal?: AbortSignal },
) => Promise<Answer>;

/** Sends a health request and returns the state of the service. Rejects with the reason of an aborted `signal`. */
export async function checkHealth(
  client: Client,
  options: { clock: Clock; signal?: AbortSignal },
): Promise<Health> {
  const result = await requestFirst(client, (client, options) => client.health(options), options);
  return typeof result === "string" ? result : "answers";
}

/** Returns the state of the service of a workspace; undefined stands for the workspace of config.yaml. */
export async function healthOf(app: CliApp, workspace: string | undefined): Promise<Health> {
  using client = app.connect(await app.places(workspace));
  return await checkHealth(client, app);
}

/** Sends a request with a time limit, and returns the answer or the reason why there is none. */
export async function requestFirst<Answer>(
  client: Client,
  request: FirstRequest<Answer>,
  { clock, signal, ms = HEALTH_MS }: { clock: Clock; signal?: AbortSignal; ms?: number },
): Promise<{ answer: Answer } | Exclude<Health, "answers">> {
  try {
    const answer = await withDeadline(clock, (signal) => request(client, { signal }), {
      ms,
      ...(signal && { signal }),
    });
    return { answer };
  } catch (error) {
    if (error instanceof ServiceUnreachable) return "absent";
    if (error instanceof DeadlineExceeded) return "silent";
    throw error;
  }
}

/**
 * Returns a client of the running service, or undefined if none runs. Throws CommandFailure if the service does not answer.
 */
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

/** Returns the state of the running service, or undefined if none runs. Throws CommandFailure if it does not answer. */
export async function readInfo(app: CliApp, places: Places): Promise<InfoBody | undefined> {
  const reached = await reach(app, places, {
    request: (client, options) => client.info(options),
  });
  reached?.client[Symbol.dispose]();
  return reached?.answer;
}

/**
 * Returns a client of the running service and the answer to `request`, or undefined if no service runs. Throws
 * CommandFailure if the service does not answer.
 */
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
    if (app.remote !== undefined) {
      throw new CommandFailure(EXIT.unreachable, `No service answers at ${app.remote}`);
    }
  } catch (error) {
    client[Symbol.dispose]();
    throw error;
  }
  client[Symbol.dispose]();
  return undefined;
}

/** Returns the error for a service that accepts connections but does not answer requests. */
export function serviceSilent(places: Places): CommandFailure {
  return new CommandFailure(
    EXIT.unreachable,
    `The service does not answer on ${places.socketFile}. ` +
      `"inkling stop" stops it; its log is ${places.logFile}`,
  );
}

/** A client that can read agents and history. */
export interface Reader extends LocalService {
  /**
   * True for a client of the running service. False for the application in this process, which runs no agents and fires no
   * triggers.
   */
  readonly isService: boolean;
}

/** Connects to the running service. If none runs, opens the application in this process: read-only, without triggers. */
export async function openReader(app: CliApp, workspace?: string): Promise<Reader> {
  const request: FirstRequest<unknown> = (client, options) => client.health(options);
  return (await readFirst(app, request, { workspace })).reader;
}

/** Opens a reader as openReader() does, and returns the reader with the answer to `request`. */
export async function readFirst<Answer>(
  app: CliApp,
  request: FirstRequest<Answer>,
  of: WorkspaceOption,
): Promise<{ reader: Reader; answer: Answer }> {
  await using opened = new AsyncDisposableStack();
  const reached = await reach(app, await app.places(of.workspace), { request });
  const isService = reached !== undefined;
  const client = isService
    ? opened.use(reached.client)
    : opened.use(await app.openLocalService(of)).client;
  const answer = isService ? reached.answer : await request(client, {});
  const kept = opened.move();
  const dispose = () => kept.disposeAsync();
  return { answer, reader: { client, isService, [Symbol.asyncDispose]: dispose } };
}

/**
 * Returns the PID of the running service from its PID file. Returns undefined if no service runs, and null if the file has
 * no valid PID.
 */
export async function readLivePid(places: Places): Promise<number | null | undefined> {
  // The lock shows whether the service runs. The PID file does not: a killed service leaves the file, and another process
  // may get that PID.
  if (!isLocked(places.lockFile)) return undefined;
  const pid = Number((await Deno.readTextFile(places.pidFile).catch(ignoreMissing))?.trim());
  return Number.isSafeInteger(pid) && pid > 1 ? pid : null;
}
