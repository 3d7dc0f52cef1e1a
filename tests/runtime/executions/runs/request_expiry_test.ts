import assert from "node:assert/strict";
import { EventBus } from "../../../../runtime/events/bus.ts";
import type { HumanRequest } from "../../../../runtime/executions/human_request.ts";
import { RequestExpiry } from "../../../../runtime/executions/runs/request_expiry.ts";
import { TestClock } from "../../../support/test_clock.ts";

function requestDue(requestId: string, expiresAt: number): HumanRequest {
  return {
    executionId: 1,
    requestId,
    kind: "input",
    position: 3,
    toolName: "ask_user",
    toolArgs: {},
    message: "Which?",
    options: null,
    multi: false,
    createdAt: 0,
    expiresAt,
  };
}

Deno.test("RequestExpiry does not ask without end while an expiry cannot be stored", async () => {
  const clock = new TestClock();
  const due = requestDue("r", clock.now());
  let isOpen = true;
  const requests = { readNextExpiry: () => Promise.resolve(isOpen ? due : undefined) };
  const complaints: string[] = [];
  let tries = 0;
  const serviceLog = { write: (_level: string, message: string) => void complaints.push(message) };
  const expire = () => {
    tries++;
    if (tries < 3) return Promise.reject(new Error("database or disk is full"));
    isOpen = false;
    return Promise.resolve("over" as const);
  };
  const events = new EventBus(serviceLog);
  const answers = { expire };
  await using expiry = new RequestExpiry({ ...{ requests, events, clock, serviceLog }, answers });
  expiry.start();
  await clock.advance(0);
  assert.equal(tries, 1);
  await clock.advance(4_999);
  assert.equal(tries, 1);
  await clock.advance(10_000);
  assert.deepEqual([tries, complaints.length], [3, 2]);
});
