// A test of notifications that several nodes could send.
import assert from "node:assert/strict";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { UPKEEP_MS } from "../../../runtime/wiring/service/join_nodes.ts";
import { sharePostgres } from "../../support/postgres.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { Receiver } from "../notify/receiver.ts";
import { testNodes as test } from "./node_world.ts";

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
function tellMore(node: Runtime, agentId: string): void {
  const reason = "It fired too often";
  const who = { agentId, displayName: agentId };
  node.events.publish({ type: "trigger_changed", ...who, status: "paused", reason });
}

test("a message is sent once: by the node of its event, and those of a dead node by another one", async (world) => {
  await using receiver = new Receiver();
  world.workspace.shell["HOOK"] = `${receiver.url}/s3cr3t-path`;
  const isReceived = (count: number) =>
    until(() => receiver.received.length >= count, `${count} messages`);
  /** Waits until the node has sent all messages. Returns the messages that were received since the last call. */
  const received = async (node: Runtime): Promise<string[]> => {
    await until(async () => !await node.messages.hasOpen(), "all is sent");
    return receiver.received.splice(0)
      .map(({ text }) => /80 % is used/.test(text) ? "budget" : "loop");
  };
  const clock = new TestClock();
  await using one = await world.open("one", LINES, { clock });

  // A starting node does not send the message that another node is sending.
  const { promise, resolve } = Promise.withResolvers<number>();
  receiver.reply = (_request, place) => place === 0 ? promise : 200;
  one.events.publish(BUDGET);
  await isReceived(1);
  await using two = await world.open("two", LINES, { clock });
  tellMore(two, "a");
  await isReceived(2);
  resolve(200);
  assert.deepEqual(await received(two), ["budget", "loop"]);

  // A node that gets an event from another one does not send its message.
  const heard = new Set<string>();
  two.events.subscribe(({ type }) => heard.add(type));
  await until(() => {
    one.events.publish({ type: "scheduler_changed", status: "running" });
    return heard.has("scheduler_changed");
  }, "they hear each other");
  one.events.publish({ ...BUDGET, budget: "per_month" });
  await until(() => heard.has("budget_warning"), "the other hears it");
  await isReceived(1);
  tellMore(two, "b");
  await isReceived(2);
  assert.deepEqual(await received(two), ["budget", "loop"]);

  await world.query(
    "INSERT INTO inkling.outbox (id, channel, kind, title, body, count, created_at, due_at) " +
      "VALUES ('msg_1', 'hook', 'budget', 'Budget', '80 % is used', 1, 0, 0)",
  );
  await clock.advance(UPKEEP_MS);
  await isReceived(1);
  assert.deepEqual(await received(two), ["budget"]);
});
