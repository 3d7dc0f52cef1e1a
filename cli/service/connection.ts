// Finding the service: a client of the running one, or the same application in this process.
import { type Client, ServiceUnreachable } from "../../api/client/client.ts";
import type { CliApp, Clock, LocalService, Places, WorkspaceOption } from "../app.ts";
import { workspaceOf } from "../context.ts";
import { DeadlineExceeded, withDeadline } from "../deadline.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { isLocked } from "../../base/lock_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

/** A service that accepts a connection and does not answer for so long counts as unresponsive. */
const HEALTH_MS = 5_000;

/** The state of the service: it answers, nothing listens, or something listens and does not answer. */
export type Health = "answers" | "absent" | "silent";

/** The first question to a service, which must answer it soon: the signal ends the waiting. */
export type FirstQuestion<Answer> = (
  client: Client,
  options: { signal?: AbortSignal },
) => Promise<Answer>;

/** Asks the service whether it is there. Rejects with the signal's reason when that aborts. */
export async function checkHealth(
  client: Client,
  options: { clock: Clock; signal?: AbortSignal },
): Promise<Health> {
  const asked = await askFirst(client, (client, options) => client.health(options), options);
  return typeof asked === "string" ? asked : "answers";
}

/** The state of a workspace's service. */
export async function healthOf(app: CliApp, workspace: string | undefined): Promise<Health> {
  using client = app.connect(await app.places(workspace));
  return await checkHealth(client, app);
}

async function askFirst<Answer>(
  client: Client,
  question: FirstQuestion<Answer>,
  { clock, signal }: { clock: Clock; signal?: AbortSignal },
): Promise<{ answer: Answer } | Exclude<Health, "answers">> {
  try {
    const answer = await withDeadline(clock, (signal) => question(client, { signal }), {
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

/** A client of the running service; undefined when none runs. Throws CommandFailure when one runs and is silent. */
export async function connectService(
  app: CliApp,
  places: Places,
  options: { signal?: AbortSignal } = {},
): Promise<Client | undefined> {
  const reached = await reach(app, places, {
    ...options,
    question: (client, options) => client.health(options),
  });
  return reached?.client;
}

/** A client of the running service and its first answer; undefined when none runs. Throws as connectService() does. */
async function reach<Answer>(
  app: CliApp,
  places: Places,
  { question, ...options }: { question: FirstQuestion<Answer>; signal?: AbortSignal },
): Promise<{ client: Client; answer: Answer } | undefined> {
  const client = app.connect(places);
  try {
    const asked = await askFirst(client, question, { clock: app.clock, ...options });
    if (asked === "silent") throw serviceSilent(places);
    if (asked !== "absent") return { client, ...asked };
  } catch (error) {
    client[Symbol.dispose]();
    throw error;
  }
  client[Symbol.dispose]();
  return undefined;
}

/** The failure for a service that accepts connections and does not answer. */
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
  const of = workspace === undefined ? {} : { workspace };
  return (await askReader(app, (client, options) => client.health(options), of)).reader;
}

/** The same, with its answer to a first question, which also shows whether the service is there. */
export async function askReader<Answer>(
  app: CliApp,
  question: FirstQuestion<Answer>,
  of: WorkspaceOption,
): Promise<{ reader: Reader; answer: Answer }> {
  const reached = await reach(app, await app.places(of.workspace), { question });
  if (reached !== undefined) {
    const { client, answer } = reached;
    const dispose = () => Promise.resolve(client[Symbol.dispose]());
    return { answer, reader: { client, isService: true, [Symbol.asyncDispose]: dispose } };
  }
  await using opened = new AsyncDisposableStack();
  const local = opened.use(await app.openLocalService(workspaceOf(of)));
  const { client } = local;
  const answer = await question(client, {});
  const kept = opened.move();
  const dispose = () => kept.disposeAsync();
  return { answer, reader: { client, isService: false, [Symbol.asyncDispose]: dispose } };
}

/** The PID in the PID file of a service that is certainly alive; undefined when none is, null when it is unreadable. */
export async function readLivePid(places: Places): Promise<number | null | undefined> {
  // Only the lock is reliable: a PID file may be left over, and its number may belong to another process by now.
  if (!isLocked(places.lockFile)) return undefined;
  const pid = Number((await Deno.readTextFile(places.pidFile).catch(ignoreMissing))?.trim());
  return Number.isSafeInteger(pid) && pid > 1 ? pid : null;
}
