import assert from "node:assert/strict";
import { logStrayRejections } from "../../../runtime/service_log/stray_rejections.ts";
import { LogLines } from "../../support/log_lines.ts";

function reject(target: EventTarget, reason: Error): Event {
  const event = Object.assign(new Event("unhandledrejection", { cancelable: true }), { reason });
  target.dispatchEvent(event);
  return event;
}

Deno.test("logStrayRejections() logs unhandled rejections and keeps the process alive, until disposed", () => {
  const target = new EventTarget();
  const log = new LogLines();
  const error = new TypeError("lost");
  {
    using _strays = logStrayRejections(log, { target });
    assert.equal(reject(target, error).defaultPrevented, true);
  }
  assert.equal(reject(target, error).defaultPrevented, false);
  const expected = [["error", error]];
  assert.deepEqual(log.lines.map(({ level, fields }) => [level, fields["error"]]), expected);
});
