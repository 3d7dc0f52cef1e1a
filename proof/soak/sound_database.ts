// Creates a small database in which no invariant is broken: delegations, questions, a schedule and a watch, all from real
// runs.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createTestWorkspace, runToEnd } from "../../tests/support/test_workspace.ts";
import { until } from "../../tests/support/until.ts";
import { usageMark } from "./invariants/figures.ts";

const usage = { input: 12, output: 3 };
const say = (text: string) => ({
  say: `${usageMark({ ...usage, cost: 0.5 })} ${text}`,
  usage,
  cost_usd: 0.5,
});
const call = (name: string, args: Record<string, unknown>) => ({ name, arguments: args });

/**
 * Creates the database at `path` by running the agents lead, child, asker, tick and watcher. One request of asker is
 * answered, one waits.
 */
export async function writeSoundDatabase(path: string): Promise<void> {
  await using place = await createTestWorkspace();
  await Deno.mkdir(join(place.workspace, "inbox"));
  await Deno.writeTextFile(join(place.workspace, "notes.md"), "A note.\n");
  const read = call("file_read", { path: "notes.md" });
  await place.writeScript("child", [{ ...say("I look."), call: [read] }, say("Looked.")]);
  await place.writeScript(
    "lead",
    [
      { ...say("Both."), call: [read, call("run_agent", { agent_id: "child" })] },
      { ...say("Again."), call: [read] },
      say("Done."),
    ],
    "agents: [child]",
  );
  await place.writeScript(
    "asker",
    [{ ...say("?"), call: [call("ask_user", { question: "Go on?", kind: "confirm" })] }, say("!")],
    "on_pending: parallel",
  );
  await place.writeScript("tick", [say("tock")], "trigger: { type: schedule, every: 1s }");
  await place.writeScript(
    "watcher",
    [say("seen")],
    "trigger: { type: watch, paths: [inbox], debounce: 10ms, catch_up: once }",
  );
  {
    await using runtime = await place.open();
    await runToEnd(runtime, "lead", { idempotencyKey: "a key" });
    const { id } = await runToEnd(runtime, "asker");
    const { requestId } = await runtime.pendingRequest(id);
    await runtime.respond(id, { requestId, answer: { approved: true } });
    assert.equal((await runToEnd(runtime, "asker")).status, "waiting");
    await Deno.writeTextFile(join(place.workspace, "inbox/a.md"), "A letter.\n");
    const hasRun = async (agentId: string, times: number) =>
      (await runtime.listExecutions({ agentId, limit: 9, offset: 0 })).length >= times;
    await until(() => hasRun("watcher", 1), "the watch runs");
    await until(() => hasRun("tick", 2), "the schedule runs twice");
    await runtime.pauseScheduler();
    await until(async () => (await runtime.countExecutions()).running === 0, "all runs have ended");
  }
  await Deno.copyFile(join(place.stateDir, "inkling.db"), path);
}
