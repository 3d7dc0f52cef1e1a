import assert from "node:assert/strict";
import { createFakeCli } from "../../fake_cli.ts";
import { ESC } from "../../fake_input.ts";
import { picturesOf } from "../../picture.ts";
import { ask, finish } from "../../waiting_execution.ts";

const shows = picturesOf(import.meta.url);

Deno.test("cancel cancels each execution once and prints the result", async (t) => {
  await using cli = await createFakeCli();
  cli.runtime.addExecution({ agentId: "daily" });
  cli.runtime.addExecution({ agentId: "weekly" });
  finish(cli, 2, "Done.");
  cli.runtime.addExecution({ agentId: "asking" });
  ask(cli, 3);
  await shows(t, cli, "cancel", "1", "2", "3", "1");
});

Deno.test("cancel without an id shows a picker at a terminal, and elsewhere exits with 2", async () => {
  for (
    const [hasPerson, answer, code, cancelled] of [
      [true, ["2"], 0, [2]],
      [true, ESC, 130, []],
      [false, undefined, 2, []],
    ] as const
  ) {
    await using cli = await createFakeCli({ isTerminal: hasPerson, hasPerson });
    for (const agentId of ["daily", "weekly", "done"]) cli.runtime.addExecution({ agentId });
    ask(cli, 2);
    finish(cli, 3, "Done.");
    cli.input.answers = [answer];
    const ended: number[] = [];
    cli.runtime.cancel = (id) => {
      ended.push(id);
      return Promise.resolve("aborted");
    };
    assert.equal(await cli.run("cancel"), code);
    assert.deepEqual(ended, cancelled);
    assert.deepEqual(cli.input.asked.map(({ choices }) => choices), hasPerson ? [["2", "1"]] : []);
    if (hasPerson) continue;
    assert.match(
      cli.stderr.text,
      /Name the execution[^]*\n {2}2 weekly \(waiting, started .*\n {2}1 /,
    );
  }
});
