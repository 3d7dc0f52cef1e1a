import assert from "node:assert/strict";
import type { HumanRequest } from "../../runtime/executions/human_request.ts";
import { RequestExpiry } from "../../runtime/executions/request_expiry.ts";
import { TestClock } from "../support/test_clock.ts";
import { openTestStore } from "../support/test_store.ts";

Deno.test("RequestExpiry does not ask without end while an expiry cannot be stored", async () => {
  using place = openTestStore();
  const clock = new TestClock();
  const due: Partial<HumanRequest> = { requestId: "r", expiresAt: clock.now() };
  let isOpen = true;
  const store = Object.assign(Object.create(place.executions), {
    readNextExpiry: () => Promise.resolve(isOpen ? due : undefined),
  });
  const complaints: string[] = [];
  let tries = 0;
  await using expiry = new RequestExpiry(
    { store, clock, serviceLog: { write: (_level, message) => complaints.push(message) } },
    () => {
      tries++;
      if (tries < 3) return Promise.reject(new Error("database or disk is full"));
      isOpen = false;
      return Promise.resolve();
    },
  );
  expiry.start();
  await clock.advance(0);
  assert.equal(tries, 1);
  await clock.advance(4_999);
  assert.equal(tries, 1);
  await clock.advance(10_000);
  assert.equal(tries, 3);
  assert.equal(complaints.length, 2);
});
