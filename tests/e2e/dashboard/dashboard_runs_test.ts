// Tests of special runs in a browser: with a budget, as a dry run, after another agent, at rest, and for a missing node.
import assert from "node:assert/strict";
import { join } from "node:path";
import { runToEnd } from "../../support/test_workspace.ts";
import {
  type DashboardWorld,
  testInDashboard,
  untilSeen,
  type WorldSetUp,
} from "./dashboard_world.ts";
import { addSlowAgent } from "./slow_agent.ts";

const call = (name: string, args: object) => ({ name, arguments: args });

const SET_UP: WorldSetUp = {
  async prepare(workspace) {
    const { writeScript } = workspace;
    await Deno.writeTextFile(
      join(workspace.configDir, "pricing.yaml"),
      "demo/script: { input: 0, output: 100000 }\n",
    );
    await writeScript(
      "daily",
      [{ say: "Done.", usage: { input: 1, output: 9 } }],
      "name: The Daily\nsettings: { max_tokens: 10 }\nbudget: { per_day: 1.80 }",
    );
    await Deno.writeTextFile(join(workspace.workspace, "list.md"), "- one\n- two\n");
    await writeScript("chief", [
      {
        call: [
          call("file_delete", { path: "list.md" }),
          call("http_request", { method: "POST", url: "https://example.com/", body: "hello" }),
          call("run_agent", { agent_id: "helper" }),
        ],
      },
      { say: "All done." },
    ], "agents: [helper]");
    await writeScript("helper", [
      { call: [call("file_write", { path: "new.md", content: "new line\n" })] },
      { say: "Helped." },
    ]);
    await writeScript("collect", [{ say: "Four letters." }]);
    await writeScript("mail", [{ say: "Sent." }], "after: collect");
    await writeScript("rester", [
      { call: [call("wait", { for: "2h", reason: "the backup" })] },
      { say: "Backed up." },
    ], "shell: { allow: [git log *], net: [registry.example.com], timeout: 10m }");
    await writeScript(
      "review",
      [{ say: "Seen." }],
      "trigger: { type: webhook, scheme: github, secret: HOOK }",
    );
  },
};

async function askForBudget({ openPage, runtime }: DashboardWorld): Promise<void> {
  const page = await openPage("#/usage");
  const bar = page.getByRole("meter", { name: "per_day of The Daily" });
  await bar.waitFor();
  assert.equal(await bar.getAttribute("aria-valuetext"), "$0.00 of $1.80 used");
  await runtime().run("daily", {});
  await page.getByText("$0.90 of $1.80").waitFor();
  assert.equal(await bar.getAttribute("aria-valuetext"), "$0.90 of $1.80 used");
  // The next run would exceed the budget, so the run asks a question on the page.
  const { id } = await runtime().run("daily", {});
  await page.evaluate(`location.hash = "#/executions/${id}"`);
  await page.getByText("Budget per_day ($1.80) of The Daily is used up. Continue with $0.90 more?")
    .first().waitFor();
  await page.getByRole("button", { name: /approve|allow|yes/i }).first().click();
  await page.evaluate('location.hash = "#/usage"');
  await page.getByText("$1.80 of $2.70").waitFor();
}

async function runDry({ openPage, runtime, workspace }: DashboardWorld): Promise<void> {
  const page = await openPage("#/agents");
  await page.getByRole("button", { name: "Run chief" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Dry run").check();
  await dialog.getByRole("button", { name: "Run", exact: true }).click();

  const list = page.getByRole("region", { name: "Would have done" });
  await list.getByText("delete list.md (-2)").waitFor();
  await list.getByText("- two").waitFor();
  await list.getByText(/^call http_request .*POST/).waitFor();
  await list.getByText("new line").waitFor();
  await page.getByText(/Execution \d+ · dry run/).waitFor();
  await page.getByRole("heading", { name: "Ended: success" }).or(
    page.getByRole("heading", { name: "Answer", exact: true }),
  ).first().waitFor();
  assert.equal(
    await Deno.readTextFile(join(workspace.workspace, "list.md")),
    "- one\n- two\n",
  );

  const ids =
    async () => (await runtime().listExecutions({ agentId: "chief", limit: 9, offset: 0 }));
  await page.getByRole("button", { name: "Run again", exact: true }).click();
  await untilSeen(async () => (await ids()).length === 2, "it has run again");
  assert.deepEqual((await ids()).map(({ isDryRun }) => isDryRun), [true, true]);

  await list.getByRole("link", { name: /helper, execution/ }).click();
  await page.getByText(/Execution \d+ · dry run/).waitFor();
  await page.evaluate('location.hash = "#/history"');
  await page.getByRole("cell", { name: "manual dry run" }).first().waitFor();
}

async function seeFollowers({ openPage, runtime }: DashboardWorld): Promise<void> {
  const { id } = await runToEnd(runtime(), "collect");
  const filter = { agentId: "mail", statuses: ["success" as const], limit: 1, offset: 0 };
  const followers = () => runtime().listExecutions(filter);
  await untilSeen(async () => (await followers()).length === 1, "the other one follows");
  const [follower] = await followers();
  const page = await openPage("#/agents");
  await page.getByText("webhook (github)").waitFor();
  await page.getByText("after collect").waitFor();
  for (const here of [id, follower?.id]) {
    await page.evaluate(`location.hash = "#/executions/${here}"`);
    await page.getByText(`Execution ${here}`, { exact: true }).waitFor();
    const tree = page.getByRole("region", { name: "Delegation and following runs" });
    await tree.getByRole("link", { name: new RegExp(`collect.*#${id}`) }).waitFor();
    await tree.getByRole("link", { name: new RegExp(`mail.*#${follower?.id}`) }).waitFor();
    assert.equal(await tree.locator("[aria-current=true]").count(), 1);
  }
}

async function seeRest({ openPage, runtime }: DashboardWorld): Promise<void> {
  const { id } = await runtime().run("rester", {});
  const end = async () => (await runtime().getExecution(id)).rest?.until;
  await untilSeen(async () => await end() !== undefined, "it rests");
  const [hours, minutes] = new Date(await end() ?? 0).toTimeString().split(":");
  const words = new RegExp(`^Rests until \\w{3} ${hours}:${minutes} · the backup$`);
  const page = await openPage("#/history");
  const row = page.getByRole("row", { name: new RegExp(`#${id}`) });
  await row.getByText(words).waitFor();
  await page.evaluate('location.hash = "#/"');
  await page.getByRole("region", { name: "Running" }).getByText(words).waitFor();
  await page.evaluate(`location.hash = "#/executions/${id}"`);
  const note = page.locator("p.note", { hasText: words });
  await note.waitFor();
  assert.equal(await page.getByText("Waiting for the model").count(), 0);
  await page.getByRole("button", { name: "Continue now" }).click();
  await page.getByText("Backed up.").first().waitFor();
  await note.waitFor({ state: "detached" });
  assert.equal(await page.getByRole("button", { name: "Continue now" }).count(), 0);
  await page.evaluate('location.hash = "#/agents/rester"');
  await page.getByText("allow: git log *; net: registry.example.com; timeout: 10m").waitFor();
}

async function waitForNode(world: DashboardWorld): Promise<void> {
  await using model = await addSlowAgent(world, ["Half", " and half"]);
  const runtime = world.runtime();
  const getExecution = runtime.getExecution.bind(runtime);
  let waitsForLabels: string[] | undefined = ["gpu", "linux"];
  runtime.getExecution = async (id) => ({
    ...await getExecution(id),
    ...(waitsForLabels && { waitsForLabels }),
  });
  const { id } = await runtime.run("teller", {});
  const page = await world.openPage("#/");
  await page.clock.install();
  await page.evaluate(`location.hash = "#/executions/${id}"`);
  const note = page.getByText("Waits for a node with the labels gpu, linux");
  await note.waitFor();
  assert.equal(await page.getByText("Waiting for the model").count(), 0);
  // No event reports that a node claims the run; the page polls the execution.
  waitsForLabels = undefined;
  await page.clock.fastForward(5_000);
  await note.waitFor({ state: "detached" });
  model.finish();
  await page.getByText("Half and half").first().waitFor();
  runtime.getExecution = getExecution;
}

testInDashboard("dashboard: special runs", SET_UP, [
  ["a budget has a bar, and its question is answered on the page", askForBudget],
  ["a dry run changes nothing, and lists its calls", runDry],
  ["an execution's view links to the executions before and after the execution", seeFollowers],
  ["a resting run shows the end and the reason of its rest, and is continued", seeRest],
  ["a run shows its labels until a node claims it", waitForNode],
]);
