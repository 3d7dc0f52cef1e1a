// Tests the question that an answer link opens, and the link's expiry.
import assert from "node:assert/strict";
import { DAY_MS, HOUR_MS } from "../../../base/time_units.ts";
import { executionOf, OutboxWorld } from "./outbox_world.ts";

const WAITING = { status: "waiting" } as const;

async function linkTo(world: OutboxWorld, requestId: string): Promise<string> {
  return (await world.links.create(requestId)).replace("/answer/", "");
}

Deno.test("a link opens its question for 24 hours, or until the question expires", async () => {
  await using world = new OutboxWorld();
  const { requestId } = world.ask(executionOf(1, WAITING));
  const token = await linkTo(world, requestId);
  assert.match(token, /^[\w-]{43}$/);
  const found = { requestId, executionId: 1, state: "open" };
  assert.deepEqual(await world.links.findLink(token), found);
  // A link can be read several times.
  assert.deepEqual(await world.links.findLink(token), found);
  world.clock.jump(DAY_MS - 1);
  assert.equal((await world.links.findLink(token))?.state, "open");
  world.clock.jump(1);
  assert.equal((await world.links.findLink(token))?.state, "expired");
  const short = world.ask(executionOf(2, WAITING), { expiresAt: world.clock.now() + HOUR_MS });
  const other = await linkTo(world, short.requestId);
  world.clock.jump(HOUR_MS);
  assert.equal((await world.links.findLink(other))?.state, "expired");
});

Deno.test("the end of a question closes all its links and no others", async () => {
  await using world = new OutboxWorld();
  const tokens: string[] = [];
  for (const id of [1, 2, 3, 4]) {
    world.ask(executionOf(id, WAITING));
    tokens.push(await linkTo(world, `q-${id}`), await linkTo(world, `q-${id}`));
  }
  world.answer("q-1");
  world.answer("q-2", null);
  world.answer("q-3", { expired: true });
  const states = await Promise.all(
    tokens.map(async (one) => (await world.links.findLink(one))?.state),
  );
  assert.deepEqual(states, [
    ...["answered", "answered", "ended", "ended"],
    ...["expired", "expired", "open", "open"],
  ]);
});

Deno.test("SqlAnswerLinks finds no question for a forged token or a deleted question", async () => {
  await using world = new OutboxWorld();
  world.ask(executionOf(1, WAITING));
  const token = await linkTo(world, "q-1");
  const forged = [
    token.slice(0, -1) + (token.endsWith("A") ? "B" : "A"),
    "A".repeat(43),
    "",
    "q-1",
  ];
  for (const one of forged) assert.equal(await world.links.findLink(one), undefined);
  world.db.run("DELETE FROM executions WHERE id = 1");
  assert.equal(await world.links.findLink(token), undefined);
  assert.deepEqual(world.db.all("SELECT * FROM answer_links"), []);
});
