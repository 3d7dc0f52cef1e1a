import assert from "node:assert/strict";
import { logUnhandledRejections } from "../../../runtime/service_log/unhandled_rejections.ts";
import { LogLines } from "../../support/log_lines.ts";

function reject(target: EventTarget, reason: Error): Event {
  const event = Object.assign(new Event("unhandledrejection", { cancelable: true }), { reason });
  target.dispatchEvent(event);
  return event;
}

Deno.test("logUnhandledRejections() logs rejections and keeps the process running until disposed", () => {
  const target = new EventTarget();
  const log = new LogLines();
  const error = new TypeError("lost");
  {
    using _strays = logUnhandledRejections(log, { target });
    assert.equal(reject(target, error).defaultPrevented, true);
  }
  assert.equal(reject(target, error).defaultPrevented, false);
  const expected = [["error", error]];
  assert.deepEqual(log.lines.map(({ level, fields }) => [level, fields["error"]]), expected);
});
