import assert from "node:assert/strict";
import { readMachineTimeZone } from "../../../runtime/agents/machine_time_zone.ts";

Deno.test("readMachineTimeZone() returns the zone of TZ in every form that the C library allows", () => {
  const table: [variable: string, name: string][] = [
    ["Europe/Berlin", "Europe/Berlin"],
    [":Europe/Berlin", "Europe/Berlin"],
    ["europe/berlin", "Europe/Berlin"],
    ["posix/Europe/Berlin", "Europe/Berlin"],
    ["/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"],
    [":/usr/share/zoneinfo/right/Asia/Tokyo", "Asia/Tokyo"],
    ["Etc/GMT+3", "Etc/GMT+3"],
    ["UTC", "UTC"],
    ["", "UTC"],
  ];
  for (const [variable, name] of table) {
    assert.deepEqual(readMachineTimeZone(variable), { name }, variable);
  }
});

Deno.test("readMachineTimeZone() returns UTC and the value of TZ if TZ names no zone", () => {
  const cases = ["UTC+3", "GMT+3", "+03:00", "<+03>-3", "MSK-3", "Foo/Bar", ":", "/etc/zone"];
  for (const unknown of cases) {
    assert.deepEqual(readMachineTimeZone(unknown), { name: "UTC", unknown });
  }
});
