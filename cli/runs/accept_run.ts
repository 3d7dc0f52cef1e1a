// Sends a request for a run to the service. Starts the service if none answers, and repeats the request if the service is
// stopping.
import { untilAborted } from "../../base/bounded_wait.ts";
import { ApiError, type Client, ServiceUnreachable } from "../../api/client/client.ts";
import type { RunAccepted, RunBody } from "../../api/schemas/run_schemas.ts";
import type { Places } from "../context/app.ts";
import { checkHealth } from "../service/connection.ts";
import type { CommandContext } from "../context/context.ts";
import type { Interrupts } from "../prompting/interrupts.ts";
import { openService } from "../service/daemon.ts";
import { pollFor } from "../service/self_start.ts";
import { orUnknownAgent } from "../context/unknown_agent.ts";

const GOING_MS = 20_000;

/** Requests a run of an agent, as accept() describes. Throws CommandFailure for an unknown agent. */
export async function acceptRun(
  context: CommandContext,
  { agentId, body }: { agentId: string; body: RunBody },
  interrupts: Interrupts,
): ReturnType<typeof accept> {
  return await accept(
    context,
    interrupts,
    (client, key) =>
      orUnknownAgent(client.run(agentId, body, key), { app: context.app, client, agentId }),
  );
}

/**
 * Sends a request for a run. If the service is stopping, waits until it has stopped, starts a new service and repeats the
 * request once. The idempotency key prevents a second run. The caller must dispose the client.
 */
export async function accept(
  context: CommandContext,
  { first: signal, second: leaveSignal }: Interrupts,
  ask: (client: Client, key: { idempotencyKey: string }) => Promise<RunAccepted>,
): Promise<{ client: Client; accepted: RunAccepted }> {
  const { app, workspace } = context;
  const places = await app.places(workspace);
  const idempotencyKey = crypto.randomUUID();
  for (let isRetry = false;; isRetry = true) {
    const client = await openService(context, { signal });
    try {
      // After the first Ctrl+C the command continues to wait for the response, because the response contains the number of
      // the execution to cancel.
      const accepted = await untilAborted(ask(client, { idempotencyKey }), leaveSignal);
      return { client, accepted };
    } catch (error) {
      const isOver = isRetry || !isGoing(error) || await isDegraded(client);
      client[Symbol.dispose]();
      if (isOver) throw error;
    }
    await untilGone(context, places, signal);
  }
}

function isGoing(error: unknown): boolean {
  return error instanceof ServiceUnreachable || (error instanceof ApiError && error.status === 503);
}

/** Returns whether the service refuses runs because its database does not answer. Such a service is not stopping. */
async function isDegraded(client: Client): Promise<boolean> {
  const health = await client.health().catch(() => undefined);
  return health?.status === "degraded";
}

/** Waits until no process listens at the service's socket, at most GOING_MS. */
async function untilGone(
  { app }: CommandContext,
  places: Places,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = app;
  using client = app.connect(places);
  const isGone = async () =>
    await checkHealth(client, { clock, signal }) === "absent" ? true : undefined;
  await pollFor(isGone, { clock, ms: GOING_MS, signal });
}
