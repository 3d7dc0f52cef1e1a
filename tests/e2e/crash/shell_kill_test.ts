// A test of kill -9 during commands of the shell: no command is run twice, and its result is kept or unknown.
import assert from "node:assert/strict";
import { join } from "node:path";
import { call, resultsOf } from "../../runtime/executions/executions_of.ts";
import { IGNORED_WITHOUT_SANDBOX } from "../../runtime/sandbox/system_sandbox.ts";
import { createTestWorkspace, toEnd } from "../../support/test_workspace.ts";
import { startAndDie } from "./start_and_die.ts";

/** Returns the command of an agent. That of the agent `runs` lasts until its service is killed. */
const commandOf = (agent: string) =>
  `echo run >> runs-${agent}; echo one; ${agent === "runs" ? "sleep 30; " : ""}echo two`;

/** The moments of the kill. The first report of new output is a frame that is added after a second. */
const DEATHS = [
  // Before the command starts.
  { agent: "before", method: "startCall", when: "before", nth: 1 },
  { agent: "intends", method: "startCall", when: "after", nth: 1 },
  { agent: "runs", method: "addFrame", when: "before", nth: 1 },
  { agent: "ran", method: "finishCall", when: "before", nth: 1 },
] as const;

Deno.test({
  name: "a command of a killed service runs at most once, whenever the service is killed",
  ignore: IGNORED_WITHOUT_SANDBOX,
  fn: async () => {
    await using place = await createTestWorkspace();
    for (const { agent } of DEATHS) {
      const steps = [{ call: [call("shell", { command: commandOf(agent) })] }, { say: "Done." }];
      const settings = "shell: true\nauto_approve: [shell]\non_restart: resume";
      await place.writeScript(agent, steps, settings);
    }
    const start = DEATHS.map(({ agent }) => agent);
    await startAndDie(place, { start, deaths: [...DEATHS] });
    await using runtime = await place.open();
    for (const [index, agent] of start.entries()) {
      const { id, status } = await toEnd(runtime, index + 1);
      assert.equal(status, "success", agent);
      const [result, ...others] = await resultsOf(runtime, id);
      assert.deepEqual(others, [], agent);
      const text = String(result?.["content"]);
      if (agent === "before") assert.match(text, /^Exit code 0 after .*\none\ntwo$/);
      else assert.match(text, /its outcome is unknown\. It was not repeated/, agent);
      const runs = await Deno.readTextFile(join(place.workspace, `runs-${agent}`)).catch(() => "");
      // The command of an execution that had only stored its intent may have started or not.
      assert.ok(runs === "run\n" || runs === "" && agent === "intends", `${agent}: ${runs}`);
    }
  },
});
