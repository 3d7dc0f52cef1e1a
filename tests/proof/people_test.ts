import assert from "node:assert/strict";
import type { Client } from "../../server/client.ts";
import { until } from "../support/until.ts";
import { People } from "../../proof/soak/load/people.ts";
import { Chance } from "../../proof/soak/soak_random.ts";
import { Findings } from "../../proof/soak/soak_world.ts";

Deno.test("People: when they leave, whoever still thinks answers nothing, and nobody is left", async () => {
  const done: string[] = [];
  const pending = { kind: "confirm", request_id: "r", execution_id: 1, expires_at: null };
  const client = {
    executions: () => Promise.resolve([{ id: 1 }]),
    pending: () => Promise.resolve(pending),
  } as unknown as Client;
  const people = new People({
    database: "",
    findings: new Findings(),
    // The thought of this seed takes far longer than the test.
    chance: (stream) => new Chance(11, stream),
    attempt: (what, { work }) => {
      done.push(what);
      return work(client);
    },
  });
  const attending = people.attend();
  await until(() => done.includes("look at a request"), "somebody thinks about it");
  people.leave();
  await attending;
  assert.deepEqual([...new Set(done)], ["list waiting", "look at a request"]);
});
