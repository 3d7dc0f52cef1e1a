// Several services that send what one outbox holds.
import assert from "node:assert/strict";
import { SECOND_MS } from "../../../base/time_units.ts";
import { failure, OutboxWorld } from "./outbox_world.ts";

Deno.test("a message that one service is sending is not sent by another, however slow the receiver", async () => {
  await using world = new OutboxWorld();
  const { promise, resolve } = Promise.withResolvers<void>();
  world.deliver = () => promise;
  world.tell(failure(1));
  await world.settle();
  await using other = world.createSender();
  // As long as a command may take.
  for (let second = 0; second < 30; second++) {
    other.wake();
    await world.clock.advance(SECOND_MS);
  }
  assert.equal(world.sent.length, 1);
  resolve();
  await world.settle();
  assert.equal(await world.outbox.countOpen(), 0);
});

Deno.test("a message whose service is gone is sent by another within a minute", async () => {
  await using world = new OutboxWorld();
  world.deliver = () => new Promise(() => {});
  world.tell(failure(1));
  await world.settle();
  await world.sender[Symbol.asyncDispose]();
  world.deliver = () => {};
  await using other = world.createSender();
  other.wake();
  await world.clock.advance(60 * SECOND_MS);
  await world.settle();
  assert.equal(world.sent.length, 2);
  assert.equal(await world.outbox.countOpen(), 0);
});
