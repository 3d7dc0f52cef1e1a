import assert from "node:assert/strict";
import { formatServiceEvent } from "../../../cli/output/service_event_line.ts";
import { createStyle } from "../../../cli/output/style.ts";

const AT = new Date(2026, 0, 31, 8, 5, 9).getTime();

function format(event: string, payload: Record<string, string | number | null>) {
  return formatServiceEvent({ event, payload }, {
    at: AT,
    style: createStyle({ colors: false }),
    columns: 80,
  });
}

const RUN = { execution_id: 12, agent_id: "daily", display_name: "Daily", agent_name: "daily" };

Deno.test("formatServiceEvent() tells what happens in a line, with the time", () => {
  const table: [string, Record<string, string | number | null>, string | undefined][] = [
    ["execution_started", { ...RUN, trigger: "schedule" }, "→ daily · schedule · execution 12"],
    [
      "execution_completed",
      { ...RUN, status: "success", duration_ms: 3_210 },
      "✔ daily · success · 3.2s · execution 12",
    ],
    [
      "execution_completed",
      { ...RUN, status: "orphaned", duration_ms: null },
      "✖ daily · orphaned · execution 12",
    ],
    [
      "execution_waiting",
      { ...RUN, message: "Allow\n\u001b[2Jfile_write?" },
      "? daily · waits: inkling respond 12 · Allow \\u001b[2Jfile_write?",
    ],
    ["execution_resumed", RUN, "→ daily · continues · execution 12"],
    ["agents_changed", { ...RUN, event: "updated" }, "~ daily · agent file updated"],
    ["scheduler_changed", { status: "paused" }, "! scheduler paused"],
    [
      "trigger_changed",
      { ...RUN, status: "paused", reason: "too often" },
      "! daily · trigger paused · too often",
    ],
    ["trigger_changed", { ...RUN, status: "running", reason: null }, "~ daily · trigger running"],
    ["heartbeat", {}, undefined],
    ["shutdown", { reason: "signal" }, undefined],
  ];
  for (const [event, payload, expected] of table) {
    assert.equal(format(event, payload), expected && `08:05:09 ${expected}`);
  }
});
