import assert from "node:assert/strict";
import fc from "fast-check";
import { SharedPlaces } from "../../../../runtime/tools/custom/shared_places.ts";
import { TestClock } from "../../../support/test_clock.ts";

/** Places, and the owners that have one, in the order in which they got it. */
function openPlaces(count: number) {
  const places = new SharedPlaces(count);
  const wait = { clock: new TestClock(), withinMs: 1_000 };
  const holders: string[] = [];
  const leaves: { owner: string; leave: () => void }[] = [];
  const take = async (owner: string, signal = new AbortController().signal) => {
    const leave = await places.take(owner, { ...wait, signal });
    if (leave === undefined) return false;
    holders.push(owner);
    leaves.push({ owner, leave });
    return true;
  };
  const leave = async (owner: string) => {
    const index = leaves.findIndex((one) => one.owner === owner);
    leaves.splice(index, 1)[0]?.leave();
    await settled();
  };
  return { clock: wait.clock, places, holders, leaves, take, leave };
}

/** What was given out is taken by then. */
const settled = () => new Promise((resolve) => setTimeout(resolve));

Deno.test("SharedPlaces gives one owner no more than it leaves to all others", async () => {
  for (const [count, most] of [[1, 1], [2, 1], [4, 2], [8, 4]] as const) {
    const { take, holders, leaves, places } = openPlaces(count);
    const waiting = Array.from({ length: 9 }, () => take("a"));
    await settled();
    assert.equal(holders.length, most, `${count} places`);
    const other = count > 1 ? [take("b")] : [];
    await Promise.all(other);
    places.open();
    await Promise.all(waiting);
    for (const { leave } of leaves) leave();
  }
});

Deno.test("SharedPlaces lets who has fewest come first, and of those who waits longest", async () => {
  const { take, leave, holders, places } = openPlaces(2);
  await take("a");
  const waiting = [take("a"), take("b"), take("a"), take("c"), take("d")];
  await settled();
  assert.deepEqual(holders, ["a", "b"]);
  await leave("b");
  await leave("c");
  await leave("d");
  await leave("a");
  assert.deepEqual(holders, ["a", "b", "c", "d", "a"]);
  await leave("a");
  assert.deepEqual(holders, ["a", "b", "c", "d", "a", "a"]);
  places.open();
  assert.deepEqual(await Promise.all(waiting), [true, true, true, true, true]);
});

Deno.test("SharedPlaces ends a wait with its time and with its signal, and forgets who waited", async () => {
  const { clock, take, leave, holders } = openPlaces(1);
  await take("a");
  const late = take("b");
  await clock.advance(1_000);
  assert.equal(await late, false);
  const stop = new AbortController();
  const stopped = take("c", stop.signal);
  stop.abort(new Error("cancelled"));
  await assert.rejects(stopped, /cancelled/);
  await leave("a");
  await take("d");
  assert.deepEqual(holders, ["a", "d"]);
});

Deno.test("SharedPlaces never gives out more than there are, and none is lost", async () => {
  const step = fc.record({ owner: fc.constantFrom("a", "b", "c"), takes: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.nat(7), fc.array(step), async (more, steps) => {
      const count = more + 1;
      const { take, leave, leaves, places } = openPlaces(count);
      const waiting: Promise<boolean>[] = [];
      for (const { owner, takes } of steps) {
        if (takes) waiting.push(take(owner));
        else if (leaves.some((one) => one.owner === owner)) await leave(owner);
        await Promise.resolve();
        assert.ok(leaves.length <= count);
      }
      await settled();
      for (let one = leaves[0]; one !== undefined; one = leaves[0]) await leave(one.owner);
      assert.deepEqual(await Promise.all(waiting), waiting.map(() => true));
      places.open();
    }),
    { numRuns: 30 },
  );
});
