// Ending the service: asked, then SIGTERM, then SIGKILL. Never tells that a living process has stopped.
import { ApiError, type Client, ServiceUnreachable } from "../server/client.ts";
import type { Clock, Places } from "./app.ts";
import { DeadlineExceeded, withDeadline } from "./deadline.ts";
import type { Processes } from "./processes.ts";
import { readLivePid } from "./service.ts";

const POLL_MS = 100;
/** How long the service may take to answer a request. */
const ANSWER_MS = 5_000;
const TERMINATE_MS = 5_000;
const KILL_MS = 3_000;

/** What became of the service. */
export type StopOutcome =
  | { kind: "not_running" }
  | { kind: "stopped"; pid: number; by: "request" | "SIGTERM" | "SIGKILL" }
  | { kind: "survived"; pid: number }
  | { kind: "unknown_pid" };

/** What the stop sequence works with. */
export interface StopContext {
  client: Client;
  places: Places;
  processes: Processes;
  clock: Clock;
  /** How long the service may take after the request. */
  timeoutMs: number;
  /** Told of each step that the person has to wait for. */
  onStep: (text: string) => void;
}

/** Stops the service of these places, whatever it takes, and tells how it went. */
export async function stopService(context: StopContext): Promise<StopOutcome> {
  const { processes, onStep, timeoutMs } = context;
  const pid = await findPid(context);
  if (pid === undefined) return { kind: "not_running" };
  if (pid === null) return { kind: "unknown_pid" };
  // A request that did not arrive is not waited for.
  if (await requestShutdown(context) && await hasEnded(context, pid, timeoutMs)) {
    return { kind: "stopped", pid, by: "request" };
  }
  onStep(`Process ${pid} has not stopped: sending SIGTERM`);
  processes.signal(pid, "SIGTERM");
  if (await hasEnded(context, pid, TERMINATE_MS)) return { kind: "stopped", pid, by: "SIGTERM" };
  onStep(`Process ${pid} has not stopped: sending SIGKILL`);
  processes.signal(pid, "SIGKILL");
  if (await hasEnded(context, pid, KILL_MS)) return { kind: "stopped", pid, by: "SIGKILL" };
  return { kind: "survived", pid };
}

/** From the service itself; where it does not answer, from its PID file. Undefined: none runs; null: not known. */
async function findPid(context: StopContext): Promise<number | null | undefined> {
  const info = await ask(context, (signal) => context.client.info({ signal }));
  return info === undefined ? await readLivePid(context.places) : info.pid;
}

async function requestShutdown(context: StopContext): Promise<boolean> {
  const answer = await ask(context, (signal) => context.client.shutdown({ signal }));
  return answer !== undefined;
}

/** The answer, or undefined when there is none in time, or nobody to give it, or a refusal. */
async function ask<T>(
  context: StopContext,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await withDeadline(context.clock, request, { ms: ANSWER_MS });
  } catch (error) {
    if (
      error instanceof ServiceUnreachable || error instanceof DeadlineExceeded ||
      error instanceof ApiError
    ) return undefined;
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
