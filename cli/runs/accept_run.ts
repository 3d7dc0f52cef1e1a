// Has the service accept a run: starts it where none answers, and asks again where it is just going down.
import { untilAborted } from "../../base/bounded_wait.ts";
import { ApiError, type Client, ServiceUnreachable } from "../../server/client.ts";
import type { RunAccepted, RunBody } from "../../server/schemas/run_schemas.ts";
import type { Places } from "../app.ts";
import { checkHealth } from "../service/connection.ts";
import type { CommandContext } from "../context.ts";
import { openService } from "../service/daemon.ts";
import { orUnknownAgent } from "../unknown_agent.ts";

const GOING_MS = 20_000;
const POLL_MS = 100;

/** A run that the service has accepted, and the client that it was asked by. Disposing is the caller's. */
export interface AcceptedRun {
  client: Client;
  accepted: RunAccepted;
}

/**
 * Has the service accept the run. A service that is just going down is waited for, and a new one is asked; the key of
 * the request makes sure that no run starts twice. `signal` ends the waiting, `leaveSignal` also the request.
 */
export async function acceptRun(
  context: CommandContext,
  { agentId, body }: { agentId: string; body: RunBody },
  { signal, leaveSignal }: { signal: AbortSignal; leaveSignal: AbortSignal },
): Promise<AcceptedRun> {
  const { app, workspace } = context;
  const places = await app.places(workspace);
  const idempotencyKey = crypto.randomUUID();
  for (let isRetry = false;; isRetry = true) {
    const client = await openService(context, { signal });
    try {
      // The first Ctrl+C still waits for the answer, which says which execution to cancel.
      const request = untilAborted(client.run(agentId, body, { idempotencyKey }), leaveSignal);
      return { client, accepted: await orUnknownAgent(request, { app, client, agentId }) };
    } catch (error) {
      client[Symbol.dispose]();
      if (isRetry || !isGoing(error)) throw error;
    }
    await untilGone(context, places, signal);
  }
}

function isGoing(error: unknown): boolean {
  return error instanceof ServiceUnreachable || (error instanceof ApiError && error.status === 503);
}

/** Returns when the service no longer answers, or its time to go is over. */
async function untilGone(
  { app }: CommandContext,
  places: Places,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = app;
  using client = app.connect(places);
  const deadline = clock.now() + GOING_MS;
  while (clock.now() < deadline) {
    if (await checkHealth(client, { clock, signal }) === "absent") return;
    await clock.sleep(POLL_MS, signal);
  }
}
