// Stops the service by a request, then SIGTERM, then SIGKILL. Never reports a live process as stopped.
import { ApiError, type Client, ServiceUnreachable } from "../../api/client/client.ts";
import type { Clock, Places } from "../context/app.ts";
import { DeadlineExceeded, withDeadline } from "../context/deadline.ts";
import type { Processes } from "../context/processes.ts";
import { readLivePid } from "./connection.ts";

const POLL_MS = 100;
/** The longest wait for an answer of the service. */
const ANSWER_MS = 5_000;
const TERMINATE_MS = 5_000;
const KILL_MS = 3_000;

/** The result of a stop. */
export type StopOutcome =
  | { kind: "not_running" }
  | { kind: "stopped"; pid: number; by: "request" | "SIGTERM" | "SIGKILL" }
  | { kind: "survived"; pid: number }
  | { kind: "unknown_pid" };

/** The collaborators and settings of a stop. */
export interface StopContext {
  client: Client;
  places: Places;
  processes: Processes;
  clock: Clock;
  /** The longest wait after the request. */
  timeoutMs: number;
  /** Called before each step that takes time. */
  onStep: (text: string) => void;
}

/** Stops the service, by force if necessary, and returns the outcome. */
export async function stopService(context: StopContext): Promise<StopOutcome> {
  const { processes, onStep } = context;
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

/** Reads the PID from the service, or from its PID file if it does not answer. Undefined: none runs; null: unknown. */
async function findPid(context: StopContext): Promise<number | null | undefined> {
  const answer = await ask(context, (signal) => context.client.info({ signal }), ANSWER_MS);
  return answer.kind === "answer" ? answer.body.pid : await readLivePid(context.places);
}

/** Requests the stop and waits for the end of the process. The wait includes the time for the answer. */
async function endsOnRequest(context: StopContext, pid: number): Promise<boolean> {
  const { client, clock, timeoutMs } = context;
  const deadline = clock.now() + timeoutMs;
  const ms = Math.min(ANSWER_MS, timeoutMs);
  // Without a listener there is nothing to wait for. A silent service may still have received the request.
  const answer = await ask(context, (signal) => client.shutdown({ signal }), ms);
  if (answer.kind === "unreachable") return false;
  return await hasEnded(context, pid, deadline - clock.now());
}

type Answer<T> = { kind: "answer"; body: T } | { kind: "silent" } | { kind: "unreachable" };

/** Sends a request with a time limit. An error response counts as silence. */
async function ask<T>(
  { clock }: StopContext,
  request: (signal: AbortSignal) => Promise<T>,
  ms: number,
): Promise<Answer<T>> {
  try {
    return { kind: "answer", body: await withDeadline(clock, request, { ms }) };
  } catch (error) {
    if (error instanceof ServiceUnreachable) return { kind: "unreachable" };
    if (error instanceof DeadlineExceeded || error instanceof ApiError) return { kind: "silent" };
    throw error;
  }
}

async function hasEnded(
  { clock, processes }: StopContext,
  pid: number,
  ms: number,
): Promise<boolean> {
  const deadline = clock.now() + ms;
  for (;;) {
    if (!(await processes.isAlive(pid))) return true;
    const left = deadline - clock.now();
    if (left <= 0) return false;
    await clock.sleep(Math.min(POLL_MS, left));
  }
}
