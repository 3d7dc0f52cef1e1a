// Tests of kill -9 during a command of the shell: the command is never run twice, and its result is kept or unknown.
import assert from "node:assert/strict";
import { join } from "node:path";
import { call, resultsOf } from "../../runtime/executions/executions_of.ts";
import { IGNORED_WITHOUT_SANDBOX } from "../../runtime/sandbox/system_sandbox.ts";
import { createTestWorkspace, toEnd } from "../../support/test_workspace.ts";
import { type DeathOrder, startAndDie } from "./start_and_die.ts";

const COMMAND =
  "echo run >> runs; echo one; while test ! -e end; do sleep 0.05; touch end; sleep 1.2; done; echo two";

/** The moments of the kill. The first report of new output is a frame that is added after a second. */
const DEATHS: readonly [moment: string, crash: DeathOrder["crash"], isKnown: boolean][] = [
  ["before the command starts", { method: "startCall", when: "before", nth: 1 }, true],
  ["when its intent is stored", { method: "startCall", when: "after", nth: 1 }, false],
  ["while it runs", { method: "addFrame", when: "before", nth: 1 }, false],
  ["before its result is stored", { method: "finishCall", when: "before", nth: 1 }, false],
];

for (const [moment, crash, isKnown] of DEATHS) {
  Deno.test({
    name: `a command of a service that is killed ${moment} runs at most once`,
    ignore: IGNORED_WITHOUT_SANDBOX,
    fn: async () => {
      await using place = await createTestWorkspace();
      const steps = [{ call: [call("shell", { command: COMMAND })] }, { say: "Done." }];
      const settings = "shell: true\nauto_approve: [shell]\non_restart: resume";
      await place.writeScript("worker", steps, settings);
      await startAndDie(place, { start: ["worker"], crash });
      await using runtime = await place.open();
      const [started] = await runtime.listExecutions({ agentId: "worker", limit: 1, offset: 0 });
      const { id, status } = await toEnd(runtime, started?.id ?? 0);
      assert.equal(status, "success");
      const [result, ...others] = await resultsOf(runtime, id);
      assert.deepEqual(others, []);
      const text = String(result?.["content"]);
      if (isKnown) assert.match(text, /^Exit code 0 after .*\none\ntwo$/);
      else assert.match(text, /its outcome is unknown\. It was not repeated/);
      const runs = await Deno.readTextFile(join(place.workspace, "runs")).catch(() => "");
      assert.ok(runs === "run\n" || runs === "" && !isKnown, runs);
    },
  });
}
