// run: starts an execution and shows it as it goes. Ctrl+C cancels it.
import { ApiError, type Client, ServiceUnreachable } from "../../server/client.ts";
import type { RunAccepted, RunBody } from "../../server/schemas.ts";
import type { Places } from "../app.ts";
import type { CommandContext } from "../context.ts";
import { ensureService } from "../daemon.ts";
import { untilAborted } from "../deadline.ts";
import { EXIT, type ExitCode, Interrupted } from "../exit.ts";
import { toOneLine } from "../output/sanitise.ts";
import { checkHealth, openReader } from "../connection.ts";
import { agentMissing, orUnknownAgent } from "../unknown_agent.ts";
import { watchRun } from "../watch_run.ts";

/** The options of `run`. */
export interface RunOptions {
  detach?: true;
  message?: string;
  context?: string;
  session?: string;
  json?: true;
}

/** Runs an agent to its end, or, detached, until it is accepted. */
export async function run(
  context: CommandContext,
  agentId: string | undefined,
  args: readonly string[],
  options: RunOptions,
): Promise<ExitCode> {
  const { app, output } = context;
  if (agentId === undefined) throw await missing(context);
  const firstInterrupt = new AbortController();
  const secondInterrupt = new AbortController();
  const stopListening = app.onInterrupt(() => {
    const controller = firstInterrupt.signal.aborted ? secondInterrupt : firstInterrupt;
    controller.abort(new Interrupted());
  });
  try {
    const body: RunBody = {
      args: [...args],
      ...(options.message !== undefined && { message: options.message }),
      ...(options.context !== undefined && { context: options.context }),
      ...(options.session !== undefined && { session_id: options.session }),
    };
    const { client, accepted } = await accept(context, { agentId, body }, {
      signal: firstInterrupt.signal,
      leaveSignal: secondInterrupt.signal,
    });
    using _ = client;
    if (options.detach) {
      showAccepted(context, agentId, accepted, options);
      return EXIT.ok;
    }
    return await watchRun({
      app,
      output,
      client,
      executionId: accepted.execution_id,
      cancelSignal: firstInterrupt.signal,
      leaveSignal: secondInterrupt.signal,
      json: options.json ?? false,
    });
  } finally {
    stopListening();
  }
}

async function missing({ app, workspace }: CommandContext): Promise<Error> {
  await using reader = await openReader(app, workspace);
  return agentMissing("run", (await reader.client.agents()).map(({ id }) => id));
}

/**
 * Has the service accept the run. A service that is just going down is waited for, and a new one is asked; the key of
 * the request makes sure that no run starts twice.
 */
async function accept(
  context: CommandContext,
  { agentId, body }: { agentId: string; body: RunBody },
  { signal, leaveSignal }: { signal: AbortSignal; leaveSignal: AbortSignal },
): Promise<{ client: Client; accepted: RunAccepted }> {
  const { app, output, workspace } = context;
  const places = await app.places(workspace);
  const idempotencyKey = crypto.randomUUID();
  for (let isRetry = false;; isRetry = true) {
    const { client } = await ensureService(app, places, {
      onStart: () => output.note("Starting the service"),
      signal,
    });
    try {
      // The first Ctrl+C lets the answer come: without it nobody knows which execution to cancel.
      const request = untilAborted(leaveSignal, client.run(agentId, body, { idempotencyKey }));
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

const GOING_MS = 20_000;
const POLL_MS = 100;

/** Returns when the service answers no more, or has had its time to go. */
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

function showAccepted(
  { output }: CommandContext,
  agentId: string,
  accepted: RunAccepted,
  options: RunOptions,
): void {
  const id = accepted.execution_id;
  if (options.json) output.json(accepted);
  else if (output.quiet) output.line(String(id));
  else output.line(`Execution ${id} of ${toOneLine(agentId)} is running: inkling logs -e ${id}`);
}
