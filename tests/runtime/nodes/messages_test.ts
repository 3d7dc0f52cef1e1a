// Tests of notifications that several nodes could send.
import assert from "node:assert/strict";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { UPKEEP_MS } from "../../../runtime/wiring/join_nodes.ts";
import { sharePostgres } from "../../support/postgres.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { Receiver } from "../notify/receiver.ts";
import { type NodeWorld, testNodes as test } from "./node_world.ts";

sharePostgres();

const LINES = `notify:
  channels: { hook: { type: slack, url: HOOK } }
  to: [hook]
  on: [budget, loop]
`;

const BUDGET = {
  type: "budget_warning",
  agentId: null,
  displayName: null,
  rootId: null,
  budget: "per_day",
  unit: "usd",
  used: 1.6,
  limit: 2,
  resetsAt: null,
  message: "80 % is used",
} as const;

/** Publishes a further message on a node. The node sends it after all earlier messages, so its arrival ends a wait. */
function tellMore(node: Runtime): void {
  const reason = "It fired too often";
  const who = { agentId: "a", displayName: "a" };
  node.events.publish({ type: "trigger_changed", ...who, status: "paused", reason });
}

/** Starts a receiver in this process, and configures it as the channel of all nodes. */
function receive(world: NodeWorld) {
  const receiver = new Receiver();
  world.workspace.shell["HOOK"] = `${receiver.url}/s3cr3t-path`;
  return {
    receiver,
    isReceived: (count: number) =>
      until(() => receiver.received.length >= count, `${count} messages`),
    /** Waits until the node has sent all messages. Returns the received messages. */
    async received(node: Runtime): Promise<string[]> {
      await until(async () => !await node.messages.hasOpen(), "all is sent");
      return receiver.received.map(({ text }) => /80 % is used/.test(text) ? "budget" : "loop");
    },
  };
}

test("a message is sent once, by the node of its event", async (world) => {
  const { receiver, isReceived, received } = receive(world);
  await using _receiver = receiver;
  await using one = await world.open("one", LINES);
  await using two = await world.open("two", LINES);
  const heard = new Set<string>();
  two.events.subscribe(({ type }) => heard.add(type));
  await until(() => {
    one.events.publish({ type: "scheduler_changed", status: "running" });
    return heard.has("scheduler_changed");
  }, "they hear each other");
  one.events.publish(BUDGET);
  await until(() => heard.has("budget_warning"), "the other hears it");
  await isReceived(1);
  tellMore(two);
  await isReceived(2);
  assert.deepEqual(await received(two), ["budget", "loop"]);
});

test("a starting node does not send messages that another node is sending", async (world) => {
  const { receiver, isReceived, received } = receive(world);
  await using _receiver = receiver;
  await using one = await world.open("one", LINES);
  const { promise, resolve } = Promise.withResolvers<number>();
  receiver.reply = (_request, place) => place === 0 ? promise : 200;
  one.events.publish(BUDGET);
  await isReceived(1);
  await using two = await world.open("two", LINES);
  tellMore(two);
  await isReceived(2);
  resolve(200);
  assert.deepEqual(await received(two), ["budget", "loop"]);
});

test("a node sends the messages that a dead node stored", async (world) => {
  const { receiver, isReceived, received } = receive(world);
  await using _receiver = receiver;
  const clock = new TestClock();
  await using _one = await world.open("one", LINES, { clock });
  await using two = await world.open("two", LINES, { clock });
  await world.query(
    "INSERT INTO inkling.outbox (id, channel, kind, title, body, count, created_at, due_at) " +
      "VALUES ('msg_1', 'hook', 'budget', 'Budget', '80 % is used', 1, 0, 0)",
  );
  await clock.advance(UPKEEP_MS);
  await isReceived(1);
  assert.deepEqual(await received(two), ["budget"]);
});
