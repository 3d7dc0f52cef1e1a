import assert from "node:assert/strict";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";
import { picturesOf } from "../../picture.ts";
import { ask } from "../../waiting_execution.ts";

const shows = picturesOf(import.meta.url);

function addWaiting(cli: FakeCli): void {
  const { runtime, clock } = cli;
  const minute = 60_000;
  runtime.addExecution({ agentId: "daily" });
  ask(cli, 1, { createdAt: clock.now() - 5 * minute, expiresAt: clock.now() + 30 * minute });
  runtime.addExecution({ agentId: "weekly" });
  ask(cli, 2, { kind: "choice", message: "Which\u001b[2J\ncolour?", options: ["red", "blue"] });
  runtime.addExecution({ agentId: "other" });
}

Deno.test("pending shows a table of the open questions, each on one line", async (t) => {
  await using cli = await createFakeCli();
  addWaiting(cli);
  await shows(t, cli, "pending");
});

Deno.test("pending shows the whole call in a pipe", async () => {
  await using cli = await createFakeCli();
  cli.runtime.addExecution({ agentId: "daily" });
  const content = `${"All is well. ".repeat(30)}And now: rm -rf /`;
  ask(cli, 1, { toolArgs: { path: "note.txt", content } });
  assert.equal(await cli.run("pending"), 0);
  assert.ok(cli.stdout.text.includes(`Allow file_write? note.txt, content: ${content}  `));
});

Deno.test("pending names the agent that asks and the agent that called it", async (t) => {
  await using cli = await createFakeCli();
  const { runtime } = cli;
  runtime.addExecution({ agentId: "weekly" });
  for (const [agentId, parentExecutionId] of [["idle", 1], ["editor", 1], ["writer", 3]] as const) {
    runtime.addExecution({ agentId, parentExecutionId });
  }
  const { requestId } = ask(cli, 4);
  ask(cli, 2, { requestId: "another" });
  ask(cli, 3, { requestId });
  ask(cli, 1, { requestId });
  await shows(t, cli, "pending");
  await shows(t, cli, "pending", "--json");
});

Deno.test("pending shows the sign-in that several runs wait for once", async (t) => {
  await using cli = await createFakeCli();
  const signIn = {
    toolName: "sign_in",
    toolArgs: { server: "remote" },
    message: "It needs a sign-in: inkling mcp login remote",
  };
  for (const agentId of ["daily", "weekly"]) {
    ask(cli, cli.runtime.addExecution({ agentId }).id, signIn);
  }
  await shows(t, cli, "pending");
  await shows(t, cli, "pending", "1");
});

Deno.test("pending leaves out answered questions, and executions that wait for a called agent", async (t) => {
  await using cli = await createFakeCli();
  addWaiting(cli);
  cli.runtime.requests.delete(1);
  cli.runtime.addExecution({ agentId: "child", parentExecutionId: 2 });
  ask(cli, 4);
  await shows(t, cli, "pending");
});
