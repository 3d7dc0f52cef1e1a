// Ending the service: asked, then SIGTERM, then SIGKILL. Never reports a living process as stopped.
import { ApiError, type Client, ServiceUnreachable } from "../../api/client/client.ts";
import type { Clock, Places } from "../app.ts";
import { DeadlineExceeded, withDeadline } from "../deadline.ts";
import type { Processes } from "./processes.ts";
import { readLivePid } from "./connection.ts";

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

/** Stops the service of these places, by force if need be, and returns how that went. */
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

/** From the service itself; where it does not answer, from its PID file. Undefined: none runs; null: not known. */
async function findPid(context: StopContext): Promise<number | null | undefined> {
  const answer = await ask(context, (signal) => context.client.info({ signal }), ANSWER_MS);
  return answer.kind === "answer" ? answer.body.pid : await readLivePid(context.places);
}

/** Asks the service to stop and waits for its end. The time for the answer is part of the time that it has. */
async function endsOnRequest(context: StopContext, pid: number): Promise<boolean> {
  const { client, clock, timeoutMs } = context;
  const deadline = clock.now() + timeoutMs;
  const ms = Math.min(ANSWER_MS, timeoutMs);
  // Without a listener there is nothing to wait for; a service that does not answer may have received it all the same.
  const answer = await ask(context, (signal) => client.shutdown({ signal }), ms);
  if (answer.kind === "unreachable") return false;
  return await hasEnded(context, pid, deadline - clock.now());
}

type Answer<T> = { kind: "answer"; body: T } | { kind: "silent" } | { kind: "unreachable" };

/** The answer within `ms`, or why there is none. A refusal counts as silence. */
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
