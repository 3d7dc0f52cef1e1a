// When a message is tried again that nobody has told the end of: another machine's, or one that a bug stopped.
import assert from "node:assert/strict";
import { MINUTE_MS, SECOND_MS } from "../../../base/time_units.ts";
import { failure, OutboxWorld } from "./outbox_world.ts";

Deno.test("what one machine is sending for half a minute no other one sends, unless that one has died", async () => {
  await using world = new OutboxWorld();
  await using other = world.createSender();
  const slow = Promise.withResolvers<void>();
  world.deliver = () => slow.promise;
  world.tell(failure(1));
  await world.settle();
  other.wake();
  await world.clock.advance(30 * SECOND_MS);
  assert.equal(world.sent.length, 1);
  await world.sender[Symbol.asyncDispose]();
  await world.clock.advance(30 * SECOND_MS);
  assert.equal(world.sent.length, 2);
  assert.equal(world.sent[0]?.id, world.sent[1]?.id);
  slow.resolve();
  await world.settle();
  assert.equal(await world.outbox.countOpen(), 0);
});

Deno.test("a bug on the way to a receiver is tried again after waits that grow", async () => {
  await using world = new OutboxWorld();
  world.deliver = () => {
    throw new TypeError("a bug");
  };
  world.tell(failure(1));
  await world.clock.advance(5 * MINUTE_MS);
  const times = world.sent.map(({ at2 }) => at2);
  const waits = times.slice(1).map((at, i) => (at - (times[i] ?? 0)) / SECOND_MS);
  assert.deepEqual(waits, [10, 20, 40, 80]);
});
