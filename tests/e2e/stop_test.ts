// Stopping the real service in the middle of work, by a person who does not want to wait.
import assert from "node:assert/strict";
import { createRealHome, isAlive, untilFound } from "./real_process.ts";

Deno.test("stop --timeout cuts the grace short: runs end as aborted, in order, without SIGKILL", async () => {
  await using home = await createRealHome();
  await home.writeScript("slow", [{ say: "late", delay_ms: 600_000 }]);
  assert.equal((await home.inkling("start", "--daemon")).code, 0);
  using client = home.client();
  const { pid } = await client.info();
  const { execution_id: id } = await client.run("slow");
  await untilFound(
    "the run",
    async () => (await client.execution(id)).status === "running" ? true : undefined,
  );
  const { code, stdout, stderr } = await home.inkling("stop", "--timeout", "1");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /has stopped \(PID \d+\) with SIGTERM/);
  assert.equal(await isAlive(pid), false);
  const logs = await home.inkling("logs", "slow", "--json");
  assert.match(logs.stdout, /"status":\s*"aborted"/);
  assert.match(logs.stdout, /Aborted: service stopped/);
});

Deno.test("checkpoint --purge of a stopped workspace starts neither the service nor what is due", async () => {
  await using home = await createRealHome();
  await home.writeScript("once", [{ say: "hello" }]);
  assert.equal((await home.inkling("run", "once")).code, 0);
  assert.equal((await home.inkling("run", "once")).code, 0);
  assert.equal((await home.inkling("stop")).code, 0);
  await home.writeScript("often", [{ say: "x" }], "trigger: { type: schedule, every: 1s }");
  const { code, stdout, stderr } = await home.inkling("checkpoint", "--purge");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Removed 1 conversation\n/);
  assert.match((await home.inkling("status")).stdout, /not running/);
  assert.doesNotMatch((await home.inkling("logs", "often")).stdout, /success/);
});
