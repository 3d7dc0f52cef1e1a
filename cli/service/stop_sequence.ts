// Stops the service with a request, then SIGTERM, then SIGKILL. Reports it as stopped only after its process has ended.
import { ApiError, type Client } from "../../api/client/client.ts";
import type { CliApp, Places } from "../context/app.ts";
import { type FirstRequest, readLivePid, requestFirst } from "./connection.ts";
import { pollFor } from "./self_start.ts";

/** The maximum wait for an answer of the service. */
const ANSWER_MS = 5_000;
const TERMINATE_MS = 5_000;
const KILL_MS = 3_000;

/**
 * The outcome of a stop. `survived`: the process runs even after SIGKILL. `unknown_pid`: the service is silent, and its PID
 * file is invalid.
 */
export type StopOutcome =
  | { kind: "not_running" }
  | { kind: "stopped"; pid: number; by: "request" | "SIGTERM" | "SIGKILL" }
  | { kind: "survived"; pid: number }
  | { kind: "unknown_pid" };

/** The input of stopService(). */
export interface StopContext {
  app: Pick<CliApp, "clock" | "processes">;
  client: Client;
  places: Places;
  /** The maximum milliseconds from the stop request to the end of the process, before SIGTERM is sent. */
  timeoutMs: number;
  /** Called with a message before each signal is sent. */
  onStep: (text: string) => void;
}

/** Stops the service, with signals if the request does not end it, and returns the outcome. */
export async function stopService(context: StopContext): Promise<StopOutcome> {
  const { app: { processes }, onStep } = context;
  const pid = await findPid(context);
  if (pid === undefined) return { kind: "not_running" };
  if (pid === null) return { kind: "unknown_pid" };
  if (await endsOnRequest(context, pid)) return { kind: "stopped", pid, by: "request" };
  onStep(`Process ${pid} has not stopped: sending SIGTERM`);
  await processes.signal(pid, "SIGTERM");
  if (await hasEnded(context, pid, TERMINATE_MS)) return { kind: "stopped", pid, by: "SIGTERM" };
  onStep(`Process ${pid} has not stopped: sending SIGKILL`);
  await processes.signal(pid, "SIGKILL");
  if (await hasEnded(context, pid, KILL_MS)) return { kind: "stopped", pid, by: "SIGKILL" };
  return { kind: "survived", pid };
}

/**
 * Returns the PID from the service, or from its PID file if the service does not answer. Returns undefined if no service
 * runs, and null if the PID is unknown.
 */
async function findPid(context: StopContext): Promise<number | null | undefined> {
  const info = await ask(context, (client, options) => client.info(options), ANSWER_MS);
  return typeof info === "string" ? await readLivePid(context.places) : info.answer.pid;
}

/**
 * Requests the stop, and returns whether the process ends within `timeoutMs`. That time includes the wait for the answer.
 */
async function endsOnRequest(context: StopContext, pid: number): Promise<boolean> {
  const { app: { clock }, timeoutMs } = context;
  const deadline = clock.now() + timeoutMs;
  const ms = Math.min(ANSWER_MS, timeoutMs);
  // If no process listens, the request was not received, and waiting is pointless. A silent service may have received the
  // request.
  const answer = await ask(context, (client, options) => client.shutdown(options), ms);
  if (answer === "absent") return false;
  return await hasEnded(context, pid, deadline - clock.now());
}

/** Sends a request with a time limit. Returns `silent` for a timeout and for an error response. */
export async function ask<Answer>(
  { client, app: { clock } }: Pick<StopContext, "client" | "app">,
  request: FirstRequest<Answer>,
  ms: number,
): ReturnType<typeof requestFirst<Answer>> {
  try {
    return await requestFirst(client, request, { clock, ms });
  } catch (error) {
    if (error instanceof ApiError) return "silent";
    throw error;
  }
}

async function hasEnded(
  { app: { clock, processes } }: StopContext,
  pid: number,
  ms: number,
): Promise<boolean> {
  const isGone = async () => await processes.isAlive(pid) ? undefined : true;
  return await pollFor(isGone, { clock, ms }) ?? false;
}
