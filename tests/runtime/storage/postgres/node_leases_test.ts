import assert from "node:assert/strict";
import type { Query } from "../../../../runtime/storage/postgres/connection.ts";
import { NodeLeases } from "../../../../runtime/storage/postgres/node_leases.ts";

Deno.test("NodeLeases reports lost leases after a long freeze, even if no other node took them", async () => {
  let now = 0;
  const told: boolean[] = [];
  const changed = () => told.push(leases.holds("watch a"));
  const leases = new NodeLeases({ instanceId: "here", now: () => now, changed });
  // A query function that grants every requested lease.
  const query: Query = (text, values = []) => {
    const names = text.startsWith("INSERT") ? values[1] as string[] : [];
    return Promise.resolve({ rows: names.map((name) => ({ name })), rowCount: names.length });
  };
  void leases.setWanted(["watch a"]);
  await leases.renew(query);
  now += 3_000;
  await leases.renew(query);
  assert.deepEqual(told, [true]);
  now += 60_000;
  await leases.renew(query);
  assert.deepEqual(told, [true, false, true]);
  assert.equal(leases.holds("watch a"), true);
});

Deno.test("NodeLeases.setWanted() resolves for a node that gives up leases which another node holds", async () => {
  const leases = new NodeLeases({ instanceId: "here", now: () => 0, changed: () => {} });
  // Another node holds every lease.
  const query: Query = () => Promise.resolve({ rows: [] });
  const asked = leases.setWanted(["watch a"]);
  await leases.renew(query);
  await asked;
  const given = leases.setWanted([]);
  await leases.renew(query);
  await given;
  await leases.setWanted([]);
});
