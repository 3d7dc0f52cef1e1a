// Tests the records of a runtime: one for each change that a caller makes, none for runs that fire by themselves.
import assert from "node:assert/strict";
import { settle } from "../../support/test_clock.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";

const ANNA = { via: "page", name: "anna", address: "10.0.0.7" } as const;
const ASK = { call: [{ name: "ask_user", arguments: { question: "Go on?", kind: "confirm" } }] };

Deno.test("starts, answers, cancels, pauses, resumes, purges and allowed tools are recorded with the person", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("asks", [ASK, { say: "Done." }], "on_pending: parallel");
  await place.writeScript(
    "writes",
    [{ call: [{ name: "file_write", arguments: { path: "a.txt", content: "x" } }] }, { say: "." }],
  );
  await using runtime = await place.open();
  const isWaiting = (id: number) =>
    until(async () => (await runtime.getExecution(id)).status === "waiting", "the question");
  const first = await runtime.run("asks", { by: ANNA });
  await isWaiting(first.id);
  await settle();
  const { requestId } = await runtime.pendingRequest(first.id);
  await runtime.respond(first.id, { requestId, answer: { approved: true }, by: ANNA });
  await until(async () => (await runtime.getExecution(first.id)).status === "success", "the end");
  const second = await runtime.run("asks", {});
  await isWaiting(second.id);
  assert.equal(await runtime.cancel(second.id, ANNA), "aborted");
  assert.equal(await runtime.cancel(second.id, ANNA), "aborted");
  await runtime.pauseScheduler(ANNA);
  await runtime.resumeScheduler(ANNA);
  const forked = await runtime.replays.fork(first.id, { step: 0, by: ANNA });
  await isWaiting(forked.id);
  await runtime.purgeCheckpoints({ force: false, by: ANNA });
  await runtime.autoApprove("writes", { tool: "file_write", write: true, by: ANNA });
  const records = (await runtime.audit.listRecords({ limit: 50, name: "anna" })).reverse();
  assert.deepEqual(
    records.slice(0, 8).map(({ action, agentId, executionId, detail, isDone }) =>
      [action, agentId, executionId, detail, isDone] as const
    ),
    [
      ["start", "asks", first.id, {}, true],
      ["answer", "asks", first.id, { tool: "ask_user", approved: true }, true],
      ["cancel", "asks", second.id, {}, true],
      ["pause", null, null, {}, true],
      ["resume", null, null, {}, true],
      ["fork", "asks", forked.id, { forked_from: first.id }, true],
      ["purge", null, null, { force: false, purged: 2 }, true],
      ["edit_file", "writes", null, {}, true],
    ],
  );
  assert.equal(records.every(({ via, address }) => via === "page" && address === "10.0.0.7"), true);
  const [edit] = records.filter(({ action }) => action === "edit_file");
  assert.match(await runtime.audit.readTextBefore(edit!) ?? "", /name: script/);
  await runtime.reloadAgents();
  const edits = await runtime.audit.listRecords({ limit: 50, file: edit!.file! });
  assert.deepEqual(edits.map(({ via }) => via), ["page", "disk"]);
});
