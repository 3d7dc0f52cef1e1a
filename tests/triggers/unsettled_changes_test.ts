import assert from "node:assert/strict";
import type { Stamp } from "../../runtime/triggers/change_folding.ts";
import { FROM_OUTSIDE } from "../../runtime/triggers/change_origin.ts";
import { UnsettledChanges } from "../../runtime/triggers/unsettled_changes.ts";
import { TestClock } from "../support/test_clock.ts";

/** Changes of files that have to be quiet for half a second. */
function open({ mayRepeat = false }: { mayRepeat?: boolean } = {}) {
  const clock = new TestClock();
  const told: string[] = [];
  const ports = { beforeDeletion: () => Promise.resolve() };
  const changes = new UnsettledChanges({
    debounceMs: 500,
    mayRepeat,
    clock,
    noticed: () => FROM_OUTSIDE,
    beforeDeletion: () => ports.beforeDeletion(),
    onSettled: (paths) => {
      for (const { path, event } of paths) told.push(`${event} ${path}`);
    },
  });
  const note = (path: string, before: Stamp | null, now: Stamp | null) =>
    changes.note([{ path, before, now }]);
  return { clock, told, ports, changes, note };
}

Deno.test("UnsettledChanges tells of a path when it has been quiet for long enough, once", async () => {
  const { clock, told, changes, note } = open();
  await using _ = changes;
  note("a", null, "1");
  await clock.advance(400);
  note("a", "1", "2");
  note("b", "1", "2");
  await clock.advance(499);
  assert.deepEqual(told, []);
  await clock.advance(1);
  assert.deepEqual(told, ["created a", "modified b"]);
  await clock.advance(10_000);
  assert.equal(told.length, 2);
  assert.equal(clock.sleeping, 0);
});

Deno.test("UnsettledChanges does not wait for a clock that was set back to come round again", async () => {
  const { clock, told, changes, note } = open();
  await using _ = changes;
  note("a", null, "1");
  clock.jump(-3_600_000);
  note("b", null, "2");
  await clock.advance(3_601_000);
  assert.deepEqual(told.sort(), ["created a", "created b"]);
});

Deno.test("UnsettledChanges of what is put aside wait until they are taken back", async () => {
  const { clock, told, changes, note } = open();
  await using _ = changes;
  note("gone/a", "1", null);
  note("here/b", "1", null);
  changes.putAside((path) => path.startsWith("gone/"));
  // The first one counts: how it looked before anybody was told.
  note("gone/a", null, "2");
  changes.putAside((path) => path.startsWith("gone/"));
  changes.addAside("gone/c", "3");
  await clock.advance(1_000);
  await changes.settleAll();
  assert.deepEqual(told, ["deleted here/b"]);
  assert.deepEqual([...changes.takeBack((path) => path === "gone/a")], [["gone/a", "1"]]);
  note("gone/a", "1", "2");
  await clock.advance(1_000);
  assert.deepEqual(told, ["deleted here/b", "modified gone/a"]);
  note("d", "4", "5");
  assert.deepEqual(changes.takeAll(), [["gone/c", "3"], ["d", "4"]]);
  assert.deepEqual(changes.takeAll(), []);
  await clock.advance(1_000);
  assert.equal(told.length, 2);
});

Deno.test("UnsettledChanges asks before it tells of a deletion whether more than the file has vanished", async () => {
  const { clock, told, ports, changes, note } = open();
  await using _ = changes;
  let asked = 0;
  ports.beforeDeletion = () => {
    asked++;
    changes.putAside((path) => path.startsWith("gone/"));
    return Promise.resolve();
  };
  note("a", null, "1");
  await clock.advance(500);
  assert.equal(asked, 0);
  note("gone/a", "1", null);
  note("b", "2", null);
  await clock.advance(500);
  assert.equal(asked, 1);
  assert.deepEqual(told, ["created a", "deleted b"]);
});

Deno.test("UnsettledChanges that may come twice are told once", async () => {
  const { clock, told, changes, note } = open({ mayRepeat: true });
  await using _ = changes;
  note("a", null, "1");
  await clock.advance(500);
  note("a", null, "1");
  await clock.advance(500);
  assert.deepEqual(told, ["created a"]);
  note("a", "1", "2");
  await clock.advance(100);
  // Back to what was told, while another change of it waits.
  note("a", "2", "1");
  await clock.advance(500);
  note("a", "1", "3");
  await clock.advance(500);
  assert.deepEqual(told, ["created a", "undefined a", "modified a"]);
});

Deno.test("UnsettledChanges tells of everything at once when asked to, and of nothing after its end", async () => {
  const { clock, told, changes, note } = open();
  note("a", null, "1");
  await changes.settleAll();
  assert.deepEqual(told, ["created a"]);
  note("b", null, "2");
  await changes[Symbol.asyncDispose]();
  await clock.advance(10_000);
  assert.deepEqual(told, ["created a"]);
  assert.equal(clock.sleeping, 0);
});
