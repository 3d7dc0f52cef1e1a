// Opens a runtime with webhook agents, and creates signed deliveries.
import { createHmac } from "node:crypto";
import type { HookOutcome, Runtime } from "../../../../runtime/interface/runtime.ts";
import type { TestWorkspace } from "../../../support/test_workspace.ts";
import { createTestWorkspace, toEnd, turnOf } from "../../../support/test_workspace.ts";
import { TestClock } from "../../../support/test_clock.ts";

export const SECRET = "It's a Secret to Everybody";
const JSON_TYPE = "application/json";
export const STRIPE_SECRET = "whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH";

/** A delivery that a test sends. */
export interface Sent {
  headers: Record<string, string>;
  body: string;
}

export interface HookWorld extends AsyncDisposable {
  place: TestWorkspace;
  clock: TestClock;
  runtime: Runtime;
  send(
    agentId: string,
    sent: Omit<Sent, "body"> & { body: string | Uint8Array<ArrayBuffer> },
  ): Promise<HookOutcome>;
  /** Returns the number of executions. */
  count(): Promise<number>;
  /** Returns the user message of the run that a delivery started. */
  turnOf(outcome: HookOutcome): Promise<string>;
  /** Stops the service and starts another one. */
  restart(): Promise<void>;
}

/** Opens a runtime with webhook agents. `agents` has the trigger settings of each agent, without the type. */
export async function openHookWorld(
  agents: Record<string, string>,
  { shell = {}, steps = [{ say: "Seen." }] }: {
    shell?: Record<string, string>;
    steps?: unknown[];
  } = {},
): Promise<HookWorld> {
  const place = await createTestWorkspace({
    shell: { HOOK: SECRET, STRIPE: STRIPE_SECRET, ...shell },
  });
  for (const [id, trigger] of Object.entries(agents)) {
    await place.writeScript(id, steps, `trigger: { type: webhook, ${trigger} }`);
  }
  const clock = new TestClock();
  const world = {
    place,
    clock,
    runtime: await place.open({ clock }),
    send(agentId: string, { headers, body }: Parameters<HookWorld["send"]>[1]) {
      if (world.runtime.webhooks === undefined) throw new TypeError("No service runs");
      return world.runtime.webhooks.receive(agentId, {
        headers: new Headers(headers),
        body: typeof body === "string" ? new TextEncoder().encode(body) : body,
      });
    },
    async count() {
      return (await world.runtime.listExecutions({ limit: 500, offset: 0 })).length;
    },
    async turnOf(outcome: HookOutcome) {
      if (outcome.outcome !== "accepted") throw new TypeError(`It was ${outcome.outcome}`);
      await toEnd(world.runtime, outcome.executionId);
      return await turnOf(world.runtime, outcome.executionId);
    },
    async restart() {
      await world.runtime[Symbol.asyncDispose]();
      world.runtime = await place.open({ clock });
    },
    async [Symbol.asyncDispose]() {
      await world.runtime[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
  return world;
}

/** Returns a signed delivery as GitHub sends it. A string is the whole body; other values are serialized. */
export function fromGitHub(
  value: unknown,
  { event = "push", id = crypto.randomUUID() as string, secret = SECRET, contentType = JSON_TYPE } =
    {},
): Sent {
  const body = typeof value === "string" ? value : JSON.stringify(value);
  const signature = `sha256=${sign(body, secret)}`;
  const own = { "x-github-event": event, "x-github-delivery": id };
  const headers = { "content-type": contentType, ...own, "x-hub-signature-256": signature };
  return { headers, body };
}

/** Returns a signed delivery as Slack sends it at the time `at`, in milliseconds since the epoch. */
export function fromSlack(body: string, options: { at: number; contentType?: string }): Sent {
  const { at, contentType = JSON_TYPE } = options;
  const time = String(Math.floor(at / 1_000));
  const signature = `v0=${sign(`v0:${time}:${body}`, SECRET)}`;
  const own = { "x-slack-request-timestamp": time, "x-slack-signature": signature };
  return { headers: { "content-type": contentType, ...own }, body };
}

/** Returns a signed delivery as Stripe sends it at the time `at`, in milliseconds since the epoch. */
export function fromStripe(body: string, { at }: { at: number }): Sent {
  const time = String(Math.floor(at / 1_000));
  const signature = `t=${time},v1=${sign(`${time}.${body}`, STRIPE_SECRET)}`;
  return { headers: { "content-type": JSON_TYPE, "stripe-signature": signature }, body };
}

export function withToken(body: string, more: Record<string, string> = {}): Sent {
  const headers = { "content-type": JSON_TYPE, authorization: `Bearer ${SECRET}`, ...more };
  return { headers, body };
}

/** Reads a recorded delivery from the test data. */
export async function readRecorded(name: string): Promise<Sent> {
  return JSON.parse(await Deno.readTextFile(new URL(`./deliveries/${name}`, import.meta.url)));
}

function sign(text: string, secret: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}
