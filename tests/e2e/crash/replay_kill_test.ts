// Runs whose service was killed, and whose prompt is another one when the next service goes on with them, replay as they were.
import { join } from "node:path";
import type { Runtime } from "../../../runtime/runtime.ts";
import { answer } from "../../runtime/executions/executions_of.ts";
import { assertIdentical } from "../../runtime/executions/replay/replayed.ts";
import { programEntry } from "../../runtime/tools/mcp/mcp_world.ts";
import { denoDirectory } from "../../support/repository.ts";
import { createTestWorkspace, toEnd } from "../../support/test_workspace.ts";
import { startAndDie } from "./start_and_die.ts";

const call = (name: string, args: object) => ({ name, arguments: args });
const save = (section: string) => call("memory_append", { section, content: "x" });

const DEATHS = [
  { method: "recordReply", when: "after" },
  { method: "openRequest", when: "before" },
  { method: "openRequest", when: "after" },
  { method: "answerRequest", when: "before" },
  { method: "answerRequest", when: "after" },
  { method: "startCall", when: "before" },
  { method: "startCall", when: "after" },
  { method: "finishCall", when: "before" },
  { method: "finishCall", when: "after" },
  { method: "finishExecution", when: "before" },
] as const;

const DELEGATED = [
  [2, { method: "acceptExecution", when: "before" }],
  [2, { method: "acceptExecution", when: "after" }],
  [1, { method: "openRequest", when: "before" }],
  [1, { method: "waitForChild", when: "before" }],
  [1, { method: "waitForChild", when: "after" }],
  [1, { method: "answerRequest", when: "after" }],
  [1, { method: "finishExecution", when: "after" }],
] as const;

for (const { method, when } of DEATHS) {
  for (const nth of method === "recordReply" ? [1, 2, 3] : [1]) {
    Deno.test(`kill -9 ${when} ${method} (${nth}): the run that is gone on with replays as it was`, async () => {
      await using place = await createTestWorkspace();
      await place.writeScript("worker", [
        { call: [save("one")] },
        { call: [save("two"), call("ask_user", { question: "Go on?", kind: "confirm" })] },
        { call: [call("ask_user", { question: "And now?", kind: "confirm" }), save("three")] },
        { say: "Done." },
      ], 'on_restart: resume\nauto_approve: "*"');
      await startAndDie(place, { start: ["worker"], crash: { method, when, nth } });
      await using runtime = await place.open();
      await answerToEnd(runtime);
      await assertIdentical(runtime, 1);
    });
  }
}

for (const { method, when } of DEATHS.filter(({ method }) => method.endsWith("Call"))) {
  Deno.test(`kill -9 ${when} ${method} of a run with an MCP server, which is started again: it replays as it was`, async () => {
    await using place = await createTestWorkspace({ shell: { DENO_DIR: denoDirectory() } });
    await Deno.mkdir(join(place.agentsDir, "_config"));
    await Deno.writeTextFile(
      join(place.agentsDir, "_config", "mcp-servers.json"),
      JSON.stringify({ fixture: programEntry() }),
    );
    await place.writeScript("worker", [
      {
        call: [call("echo", { text: "hi" }), call("ask_user", { question: "?", kind: "confirm" })],
      },
      { say: "Done." },
    ], 'mcp: [fixture]\non_restart: resume\nauto_approve: "*"');
    await startAndDie(place, { start: ["worker"], crash: { method, when, nth: 1 } });
    await using runtime = await place.open();
    await answerToEnd(runtime);
    await assertIdentical(runtime, 1);
  });
}

for (const [nth, { method, when }] of DELEGATED) {
  Deno.test(`kill -9 ${when} ${method} (${nth}) of a run that waits for another one: it replays as it was`, async () => {
    await using place = await createTestWorkspace();
    const settings = 'on_restart: resume\nauto_approve: "*"';
    await place.writeScript("worker", [
      { call: [save("one")] },
      { call: [save("two"), call("run_agent", { agent_id: "asks" })] },
      { say: "Done." },
    ], `agents: [asks]\n${settings}`);
    await place.writeScript("asks", [
      { call: [call("ask_user", { question: "Go on?", kind: "confirm" })] },
      { say: "Asked." },
    ], settings);
    await startAndDie(place, { start: ["worker"], crash: { method, when, nth } });
    await using runtime = await place.open();
    await answerToEnd(runtime);
    await assertIdentical(runtime, 1);
    await assertIdentical(runtime, 2);
  });
}

async function answerToEnd(runtime: Runtime): Promise<void> {
  while ((await toEnd(runtime, 1)).status === "waiting") {
    await answer(runtime, 1, { approved: true });
  }
}
