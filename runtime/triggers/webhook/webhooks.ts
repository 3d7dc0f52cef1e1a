// Receives webhook deliveries, verifies and filters them, and starts one run for each.
import type { TriggerContext } from "../firing/trigger_context.ts";
import type { Agent, Trigger } from "../../agents/agent.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";
import { KeyedQueue } from "../../../base/serial_queue.ts";
import { sha256Of } from "../../../base/sha256.ts";
import type { WebhookCause } from "../../vocabulary/run_cause.ts";
import { SCHEME_FORMS } from "../../vocabulary/trigger_kinds.ts";
import { isTriggeredBy, type TriggeredAgent } from "../firing/fire.ts";
import { decodeBody } from "./content_encoding.ts";
import {
  answerHandshake,
  type Delivery,
  findFilterReason,
  type ReadDelivery,
  readDelivery,
} from "./delivery.ts";
import { answerUnsignedHandshake, type HandshakeAnswer, isGetHandshake } from "./handshake.ts";
import { isGenuine, keyOf } from "./signature.ts";

/** The result of receiving a delivery. */
export type HookOutcome =
  /** No enabled agent with this id has a webhook. */
  | { outcome: "unknown" }
  /** The signature is missing, wrong or too old. The answer to the sender does not say which. */
  | { outcome: "unsigned" }
  | { outcome: "unreadable"; status: 400 | 413 | 415; reason: string }
  /** The delivery is refused for now. The sender may repeat it later. */
  | { outcome: "later"; reason: string }
  /** The request is a handshake; `body` is its answer. */
  | { outcome: "answered"; body: HandshakeAnswer }
  /** The filter of the agent excludes the delivery. */
  | { outcome: "filtered"; reason: string }
  /** The delivery started the execution. If `isNew` is false, an equal earlier delivery started it. */
  | {
    outcome: "accepted";
    executionId: number;
    isNew: boolean;
    syncMs: number | undefined;
    requiresOk?: true;
  };

/** The part of `Webhooks` that receives requests. */
export type DeliveryPort = Pick<Webhooks, "has" | "hasGetHandshake" | "receive">;

/** The collaborators of `Webhooks`. */
export interface WebhooksPorts extends TriggerContext {
  /** Returns the execution that a delivery with this deduplication key started within the last 24 hours. */
  findByKey(key: string): Promise<{ id: number; startedAt: number } | undefined>;
}

type HookedAgent = TriggeredAgent<"webhook">;

/** Receives the webhook deliveries for all agents. */
export class Webhooks {
  readonly #ports: WebhooksPorts;
  /**
   * One queue per agent. Deliveries of an agent are accepted one at a time, so that of two simultaneous equal deliveries
   * the second finds the execution of the first.
   */
  readonly #accepting = new KeyedQueue();
  #refused = 0;
  #nextTold = 1;

  constructor(ports: WebhooksPorts) {
    this.#ports = ports;
  }

  /** Returns true if an enabled agent with this id has a webhook. */
  has(agentId: string): boolean {
    return this.#find(agentId) !== undefined;
  }

  /** Returns true if the agent's webhook has a handshake with a GET or HEAD request. */
  hasGetHandshake(agentId: string): boolean {
    return isGetHandshake(this.#find(agentId)?.trigger.handshake);
  }

  /** Processes a delivery. When this resolves, the execution of an accepted delivery is stored. */
  async receive(agentId: string, delivery: Delivery): Promise<HookOutcome> {
    const agent = this.#find(agentId);
    if (agent === undefined) return { outcome: "unknown" };
    const { trigger } = agent;
    const keys = this.#keysOf(agent);
    if (keys.length === 0) {
      return { outcome: "later", reason: "The secret of this webhook is not set" };
    }
    const now = this.#ports.clock.now();
    const { handshake, verifyToken } = trigger;
    const verifyKeys = verifyToken === undefined ? keys : this.#secretsOf([verifyToken], trigger);
    const echoed = await answerUnsignedHandshake(delivery, { handshake, keys, verifyKeys });
    if (echoed !== undefined) return { outcome: "answered", body: echoed };
    const { method = "POST" } = delivery;
    if (method !== "POST" || !await isGenuine(delivery, { trigger, keys, now })) {
      this.#countRefused(agent);
      return { outcome: "unsigned" };
    }
    const body = await decodeBody(delivery);
    if ("status" in body) return { outcome: "unreadable", ...body };
    const read = readDelivery({ ...delivery, body }, trigger.scheme);
    if ("status" in read) return { outcome: "unreadable", ...read };
    const answer = answerHandshake(read, trigger.scheme);
    if (answer !== undefined) return { outcome: "answered", body: answer };
    const reason = findFilterReason(read, trigger.filter);
    if (reason !== undefined) {
      const fields = { agent: agent.id, reason };
      this.#ports.log.write("info", "A delivery starts nothing: it is filtered out", fields);
      return { outcome: "filtered", reason };
    }
    const marks = await idempotencyKeys(agent, { delivery, read, now });
    return await this.#accepting.run(
      agent.id,
      () => this.#accept(agent, { read, delivery, marks }),
    );
  }

  async #accept(
    agent: HookedAgent,
    { read, delivery, marks }: {
      read: ReadDelivery;
      delivery: Delivery;
      marks: DeliveryKeys;
    },
  ): Promise<HookOutcome> {
    const { start, isPaused, findByKey, stops } = this.#ports;
    const { syncMs, maxRuns, scheme, handshake } = agent.trigger;
    const requiresOk = handshake !== undefined || SCHEME_FORMS[scheme].requiresOk;
    const accepted = (executionId: number, isNew: boolean) => ({
      ...{ outcome: "accepted" as const, executionId, isNew, syncMs },
      ...(requiresOk && { requiresOk }),
    });
    for (const key of [...marks.own, ...marks.before ?? []]) {
      const known = await findByKey(key);
      if (known === undefined || known.startedAt < marks.since) continue;
      return accepted(known.id, false);
    }
    const held = await this.#ports.findHoldReason(agent);
    if (held !== undefined) return { outcome: "later", reason: `Not here: ${held}` };
    if (await isPaused()) return { outcome: "later", reason: "The scheduler is paused" };
    if (!stops.admitsRun(agent, { kind: "webhook", maxRuns, cause: "deliveries" })) {
      const isFailing = stops.find(agent.id)?.by === "failures";
      const why = isFailing ? "its runs fail" : "too many runs";
      return { outcome: "later", reason: `The webhook is stopped: ${why}` };
    }
    const cause = toCause(agent, { read, delivery });
    const fired = await start(agent, { cause, keys: marks.own });
    switch (fired.outcome) {
      case "started":
        return accepted(fired.executionId, true);
      case "withdrawn":
        return { outcome: "unknown" };
      case "stopping":
        return { outcome: "later", reason: "The service is shutting down" };
      case "budget":
        return { outcome: "later", reason: "A budget is used up" };
      case "waiting":
      case "running":
      case "claimed":
        return { outcome: "later", reason: "The agent waits for an answer" };
      default:
        return fired satisfies never;
    }
  }

  #find(agentId: string): HookedAgent | undefined {
    const agent = this.#ports.registry.get(agentId);
    return agent !== undefined && isTriggeredBy(agent, "webhook") ? agent : undefined;
  }

  #keysOf({ id, trigger }: HookedAgent): Uint8Array<ArrayBuffer>[] {
    const { log } = this.#ports;
    const keys = this.#secretsOf(trigger.secrets, trigger);
    if (keys.length === 0) {
      const variables = trigger.secrets.join(", ");
      const message = trigger.scheme === "standard-webhooks"
        ? "A delivery is refused: its secret is not set, or not base64 behind whsec_"
        : "A delivery is refused: its secret is not set";
      log.write("warn", message, { agent: id, variables });
    }
    return keys;
  }

  #secretsOf(names: readonly string[], trigger: Trigger<"webhook">) {
    return names.flatMap((name) => {
      const secret = this.#ports.settings.environment.get(name)?.trim() ?? "";
      return secret === "" ? [] : keyOf(secret, trigger) ?? [];
    });
  }

  /** Counts a refused delivery. Logs only the 1st, 10th, 100th and so on, so that an attacker cannot fill the log. */
  #countRefused({ id }: Agent): void {
    this.#refused++;
    if (this.#refused < this.#nextTold) return;
    this.#nextTold *= 10;
    const message = "Deliveries without a valid signature were refused since the start";
    this.#ports.log.write("warn", message, { refused: this.#refused, last: id });
  }
}

/** The deduplication keys of a delivery. */
interface DeliveryKeys {
  /** The keys to store with the execution. */
  own: [string, ...string[]];
  /** The key of the previous time span, which a recent equal delivery may have. */
  before?: string[];
  /**
   * The start of the deduplication period, in milliseconds since the epoch. An execution that started before this time
   * belongs to another delivery.
   */
  since: number;
}

/**
 * The default time in which an equal body without an id is a repetition, for senders that repeat a delivery after a lost
 * answer.
 */
const DEDUPE_MS = MINUTE_MS;

/**
 * Returns the keys that identify a repeated delivery: its id and, if the signature does not cover the id, its body. Without
 * the body, a copied delivery could be sent again under another id.
 *
 * In some schemes an equal body may be a new delivery. It is then a repetition only for the time `trigger.dedupe`, and its
 * key contains the number of the time span of that length. Keys start with a space, which no key of an API request has,
 * because those are trimmed.
 */
async function idempotencyKeys(
  { id: agentId, trigger }: HookedAgent,
  { delivery, read, now }: { delivery: Delivery; read: ReadDelivery; now: number },
): Promise<DeliveryKeys> {
  const keyOf = async (kind: string, content: string | Uint8Array<ArrayBuffer>) =>
    ` webhook ${agentId} ${trigger.scheme} ${kind} ${await sha256Of(content)}`;
  const body = () => keyOf("body", delivery.body);
  if (read.id !== null) {
    const id = await keyOf("id", read.id);
    const own: DeliveryKeys["own"] = read.isIdSigned ? [id] : [id, await body()];
    return { own, since: -Infinity };
  }
  if (!SCHEME_FORMS[trigger.scheme].mayRepeat) {
    return { own: [await body()], since: -Infinity };
  }
  const { dedupeMs = DEDUPE_MS } = trigger;
  if (dedupeMs === 0) return { own: [await keyOf("once", crypto.randomUUID())], since: now };
  const key = await body();
  const span = Math.floor(now / dedupeMs);
  return {
    own: [`${key} ${dedupeMs} ${span}`],
    before: [`${key} ${dedupeMs} ${span - 1}`],
    since: now - dedupeMs,
  };
}

/**
 * Returns the cause of the run, with the values for `{header.X}` in the input. Never includes headers that contain a secret
 * or signature.
 */
function toCause(
  { trigger: { input = "", scheme, header = "x-signature" } }: HookedAgent,
  { read: { event, text }, delivery }: { read: ReadDelivery; delivery: Delivery },
): WebhookCause {
  const proofs = [header.toLowerCase(), SCHEME_FORMS[scheme].header];
  const names = [...input.matchAll(/\{header\.([A-Za-z0-9-]+)\}/g)].flatMap(([, name]) =>
    name ?? []
  );
  const headers = new Set(names).values()
    .filter((name) => !SECRET_HEADERS.test(name) && !proofs.includes(name.toLowerCase()))
    .map((name) => [name, delivery.headers.get(name) ?? ""]);
  return { type: "webhook", event, headers: Object.fromEntries(headers), body: text };
}

const SECRET_HEADERS =
  /^(authorization|proxy-authorization|cookie|x-api-key|.*-?signature(-256)?|.*token)$/i;
