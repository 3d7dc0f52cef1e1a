// A question whose time is over while no service runs, left by one that was killed.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createRealHome, killService, type RealHome, untilFound } from "./real_process.ts";

const ATTEMPTS = 5;

/** Kills the service while a run of this agent waits for an answer. */
async function leaveQuestion(home: RealHome, agent: string): Promise<LeftQuestion> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await home.succeed("start", "--daemon");
    using client = home.client();
    const { execution_id: id } = await client.run(agent);
    await untilFound(
      "its question",
      async () => (await client.execution(id)).status === "running" ? undefined : true,
    );
    await killService(home.stateDir);
    const [left] = await home.all<LeftQuestion>(
      "SELECT e.id, r.expires_at AS expiresAt FROM executions e JOIN requests r " +
        "ON r.execution_id = e.id WHERE e.id = ? AND e.status = 'waiting' AND r.answered_at IS NULL",
      id,
    );
    // On a busy machine its time may be over before the kill: then there is nothing left to a later service.
    if (left !== undefined) return left;
  }
  throw new Error(`The service was never killed in time, in ${ATTEMPTS} attempts`);
}

interface LeftQuestion {
  id: number;
  /** Unix time in ms. */
  expiresAt: number;
}

Deno.test("confirm_timeout denies what a service killed by SIGKILL left open, when the next one starts later", async () => {
  await using home = await createRealHome();
  await home.writeScript(
    "writer",
    [{
      call: [{ name: "file_write", arguments: { path: "a.txt", content: "a" } }],
    }, { say: "Then not." }],
    "confirm_timeout: 1s",
  );
  const { id, expiresAt } = await leaveQuestion(home, "writer");
  await untilFound("its deadline", () => Promise.resolve(Date.now() > expiresAt));
  await home.succeed("start", "--daemon");
  using client = home.client();
  const ended = await untilFound("the end of the run", async () => {
    const detail = await client.execution(id);
    return detail.finished_at === null ? undefined : detail;
  });
  assert.deepEqual([ended.status, ended.output_data], ["success", "Then not."]);
  const results = (await client.messages(id)).filter((row) => row.event_type === "tool_result");
  assert.deepEqual(
    results.map((row) => row.message),
    ["file_write — Action denied by user (timeout)"],
  );
  await assert.rejects(Deno.stat(join(home.workspace, "a.txt")), Deno.errors.NotFound);
});
