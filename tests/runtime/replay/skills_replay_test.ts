// Tests skills in replays: a skill's text is a part of the agent, so a replay loads the current text.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createTestWorkspace, rowsOf, runToEnd, toEnd } from "../../support/test_workspace.ts";
import { assertIdentical, firstDifference } from "./replayed.ts";
import { answerToEnd, call, writeSkill } from "../executions/executions_of.ts";

Deno.test("replay() finds a skill's changed instructions at the first request that contains them", async () => {
  await using place = await createTestWorkspace();
  await writeSkill(place, "tidy", "Tidy $ARGUMENTS.");
  await writeSkill(place, "count", "Count.");
  await place.writeScript("keeper", [
    { call: [call("file_glob", { pattern: "*" })] },
    {
      call: [
        call("skill_use", { skill_name: "tidy", arguments: "all" }),
        call("file_glob", { pattern: "*" }),
        call("skill_use", { skill_name: "count" }),
        call("skill_use", { skill_name: "none" }),
      ],
    },
    { call: [call("skill_use", { skill_name: "tidy", arguments: "more" })] },
    { say: "Done." },
  ], "skills: [tidy, count]");
  await using runtime = await place.open();
  const { id, status } = await runToEnd(runtime, "keeper");
  assert.equal(status, "success");
  await assertIdentical(runtime, id);
  const before = await rowsOf(place);

  await writeSkill(place, "count", "Count twice.");
  const counted = await firstDifference(runtime, id);
  assert.deepEqual([counted?.call, counted?.kind], [3, "message"]);
  assert.match(counted?.what ?? "", /^message \d+ \(instructions\)$/);
  assert.match(counted?.recorded ?? "", /\nCount\.\n/);
  assert.match(counted?.today ?? "", /\nCount twice\.\n/);
  await writeSkill(place, "count", "Count.");
  await assertIdentical(runtime, id);

  // The skill's text contains a placeholder for arguments.
  await writeSkill(place, "tidy", "Tidy up $ARGUMENTS.");
  assert.match((await firstDifference(runtime, id))?.today ?? "", /\nTidy up all\.\n/);
  await writeSkill(place, "tidy", "Tidy $ARGUMENTS.");

  const file = join(place.agentsDir, "_config", "skills", "tidy", "table.md");
  await Deno.writeTextFile(file, "x");
  const listed = await firstDifference(runtime, id);
  assert.match(listed?.what ?? "", /\(the result of skill_use\)$/);
  await Deno.remove(file);
  await assertIdentical(runtime, id);
  assert.deepEqual(await rowsOf(place), before, "nothing was written");

  await writeSkill(place, "tidy", "Tidy $ARGUMENTS.");
  await place.writeScript(
    "asked",
    [{ call: [call("skill_use", { skill_name: "tidy", arguments: "all" })] }, { say: "Done." }],
    "skills: [tidy]\nconfirm: [skill_use]",
  );
  const { id: approved } = await runToEnd(runtime, "asked");
  const other = { skill_name: "tidy", arguments: "a little" };
  assert.equal(
    (await answerToEnd(runtime, approved, {
      approved: true,
      arguments: other,
      reason: "Not so much",
    }))
      .status,
    "success",
  );
  await assertIdentical(runtime, approved);
  await writeSkill(place, "tidy", "Tidy, please, $ARGUMENTS.");
  assert.match((await firstDifference(runtime, approved))?.today ?? "", /Tidy, please, a little\./);
  await Deno.remove(join(place.agentsDir, "_config", "skills", "tidy"), { recursive: true });
  assert.match((await firstDifference(runtime, approved))?.today ?? "", /tidy/);

  await writeSkill(place, "tidy", "Tidy.");
  const use = { call: [call("skill_use", { skill_name: "tidy" })] };
  await place.writeScript("forked", [use, use, { say: "Done." }], "skills: [tidy]");
  const { id: forked } = await runToEnd(runtime, "forked");
  const fork = await runtime.replays.fork(forked, { step: 1 });
  assert.equal((await toEnd(runtime, fork.id)).status, "success");
  await assertIdentical(runtime, fork.id);
  await writeSkill(place, "tidy", "Tidy well.");
  assert.deepEqual((await firstDifference(runtime, forked))?.call, 2);
  assert.deepEqual((await firstDifference(runtime, fork.id))?.call, 3);
});

Deno.test("replay() accepts every order in which the concurrent calls of a reply may have ended", async () => {
  await using place = await createTestWorkspace();
  await writeSkill(place, "tidy", "Tidy.");
  await writeSkill(place, "count", "Count.");
  await place.writeScript("keeper", [
    {
      call: [
        call("file_glob", { pattern: "*" }),
        call("skill_use", { skill_name: "tidy" }),
        call("file_glob", { pattern: "*.md" }),
        call("skill_use", { skill_name: "count" }),
      ],
    },
    { say: "Done." },
  ], "skills: [tidy, count]");
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "keeper");
  const frames = await place.all<{ id: number; event: string; payload: string }>(
    "SELECT id, event, payload FROM frames WHERE execution_id = ? AND " +
      `(event = 'tool_result' OR payload LIKE '%"content":"<skill-context%') ORDER BY id`,
    id,
  );
  const [results = [], instructions = []] = ["tool_result", "meta"].map((wanted) =>
    frames.filter(({ event }) => event === wanted)
  );
  assert.deepEqual([results.length, instructions.length], [4, 2]);
  const [tidy, count] = instructions;
  for (let first = 0; first <= results.length; first++) {
    for (let second = 0; second <= results.length + 1; second++) {
      const order = results.toSpliced(first, 0, tidy!).toSpliced(second, 0, count!);
      for (const [index, { event, payload }] of order.entries()) {
        const sql = "UPDATE frames SET event = ?, payload = ? WHERE id = ?";
        await place.run(sql, event, payload, frames[index]!.id);
      }
      await assertIdentical(runtime, id);
    }
  }
});
