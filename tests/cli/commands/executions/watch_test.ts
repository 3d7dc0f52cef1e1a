import assert from "node:assert/strict";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { until } from "../../../support/until.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";
import { CTRL_C, NOTHING } from "../../fake_input.ts";
import { ask, callTools, finish } from "../../waiting_execution.ts";

type Options = Parameters<typeof createFakeCli>[0];

/** Creates a command line with a running execution that has a message. */
async function createRunning(options: Options = {}): Promise<FakeCli> {
  const cli = await createFakeCli(options);
  cli.runtime.addAgent(fakeAgent("daily"));
  cli.runtime.addExecution({ agentId: "daily" });
  callTools(cli, 1, ["1", "file_read", { path: "notes.md" }]);
  return cli;
}

const AT_TERMINAL = { isTerminal: true, hasPerson: true } as const;

Deno.test("watch reports once that a run waits for a node", async () => {
  await using cli = await createFakeCli();
  cli.runtime.addAgent(fakeAgent("daily"));
  cli.runtime.addExecution({ agentId: "daily", waitsForLabels: ["gpu"] });
  const code = cli.run("watch", "1");
  await until(() => cli.runtime.followers === 1, "it is followed");
  assert.equal(cli.stderr.text, "");
  await cli.clock.advance(10_000);
  assert.equal(cli.stderr.text, "Execution 1 waits for a node with the label gpu\n");
  finish(cli, 1, "All is well");
  assert.equal(await cli.drive(code), 0);
  assert.equal(cli.stdout.text, "All is well\n");
});

Deno.test("watch asks the question of a waiting execution, and continues", async () => {
  await using cli = await createRunning(AT_TERMINAL);
  ask(cli, 1);
  cli.input.answers = [true];
  const answered = cli.runtime.respond.bind(cli.runtime);
  cli.runtime.respond = async (...all) => {
    await answered(...all);
    finish(cli, 1, "Written.");
  };
  assert.equal(await cli.drive(cli.run("watch", "1")), 0);
  assert.match(cli.stdout.text, /file_read +notes\.md[^]*Written\./);
});

Deno.test("watch stops at Ctrl+C; a second Ctrl+C cancels the execution", async () => {
  for (const kind of ["sent", "typed"] as const) {
    for (const again of [false, true]) {
      await using cli = await createRunning(AT_TERMINAL);
      const cancelled: number[] = [];
      cli.runtime.cancel = (id) => {
        cancelled.push(id);
        return Promise.resolve("cancelling");
      };
      if (kind === "typed") ask(cli, 1);
      cli.input.answers = [kind === "typed" ? CTRL_C : NOTHING];
      const code = cli.run("watch", "1");
      if (kind === "sent") {
        await until(() => cli.runtime.followers === 1, "it is followed");
        assert.ok(cli.interrupt());
      }
      await until(() => /Execution 1 continues/.test(cli.stderr.text), "it is reported");
      if (again) assert.ok(cli.interrupt());
      assert.equal(await (again ? code : cli.drive(code)), 130);
      assert.deepEqual(cancelled, again ? [1] : []);
      assert.match(
        cli.stderr.text,
        /"inkling watch 1" follows it\. Press Ctrl\+C again to\scancel it\n/,
      );
      assert.equal(/is being cancelled/.test(cli.stderr.text), again);
    }
  }
});

Deno.test("watch closes a question that was answered elsewhere, and reports the place", async () => {
  for (
    const [via, told] of [
      ["page", "Answered on the page: Denied: no"],
      ["terminal", "Answered at a terminal: Denied: no"],
      ["link", "Answered by the link in a message: Denied: no"],
      ["nobody", "The question has expired"],
      [undefined, "Answered over the HTTP API: Denied: no"],
    ] as const
  ) {
    await using cli = await createRunning(AT_TERMINAL);
    const { requestId } = ask(cli, 1);
    cli.input.answers = [NOTHING];
    const code = cli.run("watch", "1");
    await until(() => cli.input.asked.length === 1, "it asks");
    cli.runtime.requests.delete(1);
    cli.runtime.append(1, "message", {
      event_type: "human",
      message: "Denied: no",
      request_id: requestId,
      ...(via && { answered_via: via }),
    });
    finish(cli, 1, "Well.");
    assert.equal(await cli.drive(code), 0);
    assert.equal(cli.stderr.text, `${told}\n`);
    assert.deepEqual(cli.runtime.responses, []);
  }
});

Deno.test("logs -e -f shows the same as watch, and asks nothing", async () => {
  await using cli = await createRunning(AT_TERMINAL);
  ask(cli, 1);
  assert.equal(await cli.run("logs", "-e", "1", "-f"), 4);
  assert.deepEqual(cli.input.asked, []);
  assert.match(cli.stdout.text + cli.stderr.text, /inkling respond 1 --yes/);
});
