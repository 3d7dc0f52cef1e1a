import assert from "node:assert/strict";
import { EventBus, type ServiceEvent } from "../../../runtime/events/bus.ts";
import { LogLines } from "../../support/log_lines.ts";

const PAUSED: ServiceEvent = { type: "scheduler_changed", status: "paused" };
const RUNNING: ServiceEvent = { type: "scheduler_changed", status: "running" };

Deno.test("EventBus.publish() logs the error of a listener and calls the others", () => {
  const log = new LogLines();
  const bus = new EventBus(log);
  const error = new Error("its connection is gone");
  const heard: ServiceEvent[] = [];
  bus.subscribe(() => {
    throw error;
  });
  bus.subscribe((event) => heard.push(event));
  bus.publish(PAUSED);
  bus.publish(RUNNING);
  assert.deepEqual(heard, [PAUSED, RUNNING]);
  const message = "A listener to the service's events failed";
  const line = { level: "error", message, fields: { error } };
  assert.deepEqual(log.lines, [line, line]);
});
