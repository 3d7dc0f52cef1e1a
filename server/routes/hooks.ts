// Deliveries to agents' webhooks, over TCP alone: anybody may send one, and only a right signature starts anything.
import { tryDecodeURIComponent } from "hono/utils/url";
import { withinTime } from "../../base/bounded_wait.ts";
import type { ExecutionDetail, HookOutcome, Runtime } from "../../runtime/runtime.ts";
import { RequestRefused } from "../../api/errors.ts";
import { readBytes } from "../../api/operations/request_body.ts";

/** Where they come in. */
export const HOOK_PATH = "/hooks/{agent}";
/** No browser takes it for a page. */
const STRANGERS_TEXT = { "content-type": "text/plain", "x-content-type-options": "nosniff" };
/** Senders that try again do it then, or later. */
const RETRY_AFTER_S = 60;

/** Whether a request is one that needs no key: it is checked by its signature, or may try the address. */
export function isDelivery(
  { method, url }: Request,
  { webhooks }: Pick<Runtime, "webhooks">,
): boolean {
  const [, name] = /^\/hooks\/([^/]+)\/?$/.exec(URL.parse(url)?.pathname ?? "") ?? [];
  if (name === undefined || method === "POST") return name !== undefined;
  return /^(GET|HEAD)$/.test(method) &&
    webhooks?.isTriedByReading?.(tryDecodeURIComponent(name)) === true;
}

/** So many bodies are read at a time: whoever has no secret can fill no more memory than these take. */
const MOST_READING = 32;

/** Answers the delivery of a request to the webhook of an agent. Throws RequestRefused. */
export function createDeliveries(
  runtime: Runtime,
): (request: Request, agentId: string) => Promise<Response> {
  let reading = 0;
  return async (request, agentId) => {
    // Before anything of the body is read.
    if (!isDelivery(request, runtime)) {
      throw new RequestRefused(405, "Method Not Allowed", { headers: { allow: "POST" } });
    }
    if (runtime.webhooks?.has(agentId) !== true) throw new RequestRefused(404, "Not Found");
    if (reading >= MOST_READING) throw refuseForNow("Too many deliveries at a time");
    reading++;
    const body = await readBytes(request, runtime).finally(() => reading--);
    return await takeDelivery(request, { agentId, body, runtime });
  };
}

async function takeDelivery(
  { headers, method, url }: Request,
  { agentId, body, runtime }: { agentId: string; body: Uint8Array<ArrayBuffer>; runtime: Runtime },
): Promise<Response> {
  const outcome: HookOutcome = await runtime.webhooks?.receive(agentId, {
    headers,
    body,
    method,
    addresses: addressesOf(url, runtime.config.publicUrl),
  }) ??
    { outcome: "unknown" };
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
        ? new Response(outcome.body, { headers: STRANGERS_TEXT })
        : Response.json(outcome.body);
    case "filtered":
      return Response.json({ filtered: outcome.reason });
    case "accepted":
      return await answerAccepted(outcome, runtime);
    default:
      return outcome satisfies never;
  }
}

/** The addresses that a sender may have been given for this one: a proxy changes the scheme, and may change the host. */
function addressesOf(url: string, publicUrl: string | null): string[] {
  const { host, pathname, search } = new URL(url);
  const begins = [...(publicUrl === null ? [] : [publicUrl]), `https://${host}`, `http://${host}`];
  return begins.map((begin) => begin + pathname + search);
}

function refuseForNow(reason: string): RequestRefused {
  return new RequestRefused(503, reason, { headers: { "retry-after": String(RETRY_AFTER_S) } });
}

async function answerAccepted(
  { executionId, isNew, syncMs, wantsOk }: Extract<HookOutcome, { outcome: "accepted" }>,
  runtime: Runtime,
): Promise<Response> {
  const told = { execution_id: executionId, ...(!isNew && { duplicate: true }) };
  const ended = syncMs === undefined
    ? undefined
    : await untilEnd(executionId, { runtime, ms: syncMs });
  if (ended === undefined) return Response.json(told, { status: wantsOk ? 200 : 202 });
  const { status, outputData, error } = ended;
  return Response.json({ ...told, status, output_data: outputData, error });
}

/** The execution once it has ended; undefined where that takes longer, or waits for a person. */
async function untilEnd(
  id: number,
  { runtime, ms }: { runtime: Runtime; ms: number },
): Promise<ExecutionDetail | undefined> {
  const reason = new Error("The sender waits no longer");
  await withinTime({ clock: runtime.clock, ms, reason }, async (over) => {
    for await (const _ of await runtime.follow(id, { after: 0, signal: over })) {
      /* to its rest */
    }
  });
  const execution = await runtime.getExecution(id);
  return execution.finishedAt === null ? undefined : execution;
}

/**
 * Warns of agents with a webhook, now and when one is read later, where nothing listens for their deliveries. Returns what ends
 * that.
 */
export async function warnOfDeafWebhooks(runtime: Runtime): Promise<() => void> {
  const warn = (agent: string) => {
    if (runtime.webhooks?.has(agent) !== true) return;
    const message = "Nobody can send a delivery to this agent's webhook: the service has no port";
    const hint = "set service.port in config.yaml and INKLING_API_KEY in the .env beside it";
    runtime.log.write("warn", message, { agent, hint });
  };
  for (const { agent } of await runtime.listAgents()) warn(agent.id);
  return runtime.events.subscribe((event) => {
    if (event.type === "agents_changed" && event.change !== "removed") warn(event.agentId);
  });
}
