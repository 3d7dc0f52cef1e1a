import assert from "node:assert/strict";
import { findServiceManager } from "../../../runtime/vocabulary/service_managers.ts";

Deno.test("findServiceManager() returns the manager that started the process, or undefined", () => {
  const find = (variables: Record<string, string>, ids = { pid: 20, ppid: 10 }) =>
    findServiceManager((name) => variables[name], ids);
  assert.equal(find({}), undefined);
  assert.equal(find({ SYSTEMD_EXEC_PID: "20" }), "systemd");
  assert.equal(find({ SYSTEMD_EXEC_PID: "10" }), "systemd", "through a wrapper");
  // A shell in a terminal that systemd started inherits the terminal's PID.
  assert.equal(find({ SYSTEMD_EXEC_PID: "5" }), undefined);
  assert.equal(find({ XPC_SERVICE_NAME: "inkling" }), "launchd");
  assert.equal(find({ XPC_SERVICE_NAME: "application.com.apple.Terminal.1" }), undefined);
  assert.equal(find({}, { pid: 1, ppid: 0 }), "container");
});
