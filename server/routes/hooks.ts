// Accepts deliveries to the webhooks of agents, over TCP only. Anybody may send a delivery, but only a valid signature
// starts a run.
import { tryDecodeURIComponent } from "hono/utils/url";
import { withinTime } from "../../base/bounded_wait.ts";
import type { ExecutionDetail, HookOutcome, Runtime } from "../../runtime/interface/runtime.ts";
import { RequestRefused } from "../../api/errors.ts";
import { readBytes } from "../../api/operations/request_body.ts";

/** The path of a webhook in the API's notation. */
export const HOOK_PATH = "/hooks/{agent}";
/** The headers of a response with a sender's text, which a browser must not render as a page. */
const FOREIGN_TEXT_HEADERS = { "content-type": "text/plain", "x-content-type-options": "nosniff" };
/** The value of Retry-After in seconds for a refused delivery. */
const RETRY_AFTER_S = 60;

/** Returns true if the request needs no key: a delivery has a signature, and some senders verify the address by GET. */
export function isDelivery(
  { method, url }: Request,
  { webhooks }: Pick<Runtime, "webhooks">,
): boolean {
  const [, name] = /^\/hooks\/([^/]+)\/?$/.exec(URL.parse(url)?.pathname ?? "") ?? [];
  if (name === undefined || method === "POST") return name !== undefined;
  return /^(GET|HEAD)$/.test(method) &&
    webhooks?.hasGetHandshake(tryDecodeURIComponent(name)) === true;
}

/**
 * The maximum number of request bodies that are read at a time, which limits the memory that senders without a secret can
 * fill.
 */
const MOST_READING = 32;

/** Returns the handler of deliveries to an agent's webhook. It throws RequestRefused. */
export function createDeliveries(
  runtime: Runtime,
): (request: Request, agentId: string) => Promise<Response> {
  let reading = 0;
  return async (request, agentId) => {
    // Check the path before the body is read.
    if (!isDelivery(request, runtime)) {
      throw new RequestRefused(405, "Method Not Allowed", { headers: { allow: "POST" } });
    }
    const { webhooks } = runtime;
    if (webhooks?.has(agentId) !== true) throw new RequestRefused(404, "Not Found");
    if (reading >= MOST_READING) throw refuseForNow("Too many deliveries at a time");
    reading++;
    const body = await readBytes(request, runtime).finally(() => reading--);
    const { headers, method, url } = request;
    const addresses = addressesOf(url, runtime.config.publicUrl);
    const outcome = await webhooks.receive(agentId, { headers, body, method, addresses });
    return await answer(outcome, runtime);
  };
}

async function answer(outcome: HookOutcome, runtime: Runtime): Promise<Response> {
  switch (outcome.outcome) {
    case "unknown":
      throw new RequestRefused(404, "Not Found");
    case "unsigned":
      throw new RequestRefused(401, "The signature is missing, wrong or too old");
    case "unreadable":
      throw new RequestRefused(outcome.status, outcome.reason);
    case "later":
      throw refuseForNow(outcome.reason);
    case "answered":
      return typeof outcome.body === "string"
        ? new Response(outcome.body, { headers: FOREIGN_TEXT_HEADERS })
        : Response.json(outcome.body);
    case "filtered":
      return Response.json({ filtered: outcome.reason });
    case "accepted":
      return await answerAccepted(outcome, runtime);
    default:
      return outcome satisfies never;
  }
}

/**
 * Returns the URLs under which the sender may know this webhook, because a proxy changes the scheme and may change the
 * host.
 */
function addressesOf(url: string, publicUrl: string | null): string[] {
  const { host, pathname, search } = new URL(url);
  const bases = [...(publicUrl === null ? [] : [publicUrl]), `https://${host}`, `http://${host}`];
  return bases.map((base) => base + pathname + search);
}

function refuseForNow(reason: string): RequestRefused {
  return new RequestRefused(503, reason, { headers: { "retry-after": String(RETRY_AFTER_S) } });
}

async function answerAccepted(
  { executionId, isNew, syncMs, requiresOk }: Extract<HookOutcome, { outcome: "accepted" }>,
  runtime: Runtime,
): Promise<Response> {
  const accepted = { execution_id: executionId, ...(!isNew && { duplicate: true }) };
  const ended = syncMs === undefined
    ? undefined
    : await untilEnd(executionId, { runtime, ms: syncMs });
  if (ended === undefined) return Response.json(accepted, { status: requiresOk ? 200 : 202 });
  const { status, outputData, error } = ended;
  return Response.json({ ...accepted, status, output_data: outputData, error });
}

/** Returns the execution when it has ended, or undefined if it takes longer than `ms` or waits for a person. */
async function untilEnd(
  id: number,
  { runtime, ms }: { runtime: Runtime; ms: number },
): Promise<ExecutionDetail | undefined> {
  const reason = new Error("The sender waits no longer");
  await withinTime({ clock: runtime.clock, ms, reason }, async (over) => {
    const { items } = await runtime.follow(id, { after: 0, signal: over });
    for await (const _ of items) {
      /* Frames are ignored until the execution ends or waits. */
    }
  });
  const execution = await runtime.getExecution(id);
  return execution.finishedAt === null ? undefined : execution;
}

/**
 * Logs a warning for each agent with a webhook, immediately and after each reload, because the service has no port. Returns
 * a function that stops the warnings.
 */
export async function warnOfUnreachableWebhooks(runtime: Runtime): Promise<() => void> {
  const warn = (agent: string) => {
    if (runtime.webhooks?.has(agent) !== true) return;
    const message = "This agent's webhook cannot receive deliveries: the service has no TCP port";
    const hint = "set service.port in config.yaml and INKLING_API_KEY in the .env beside it";
    runtime.log.write("warn", message, { agent, hint });
  };
  for (const { agent } of await runtime.listAgents()) warn(agent.id);
  return runtime.events.subscribe((event) => {
    if (event.type === "agents_changed" && event.change !== "removed") warn(event.agentId);
  });
}
