// Tests of an agent's page, of usage by model and trigger, and of the schedule's periods in a browser.
import assert from "node:assert/strict";
import { runToEnd } from "../../support/test_workspace.ts";
import { type DashboardWorld, testInDashboard, type WorldSetUp } from "./dashboard_world.ts";

const SET_UP: WorldSetUp = {
  async prepare({ writeScript, writeAgent }) {
    const usage = { input: 900, output: 100 };
    await writeScript(
      "digest",
      [{ say: "Read.", usage, cost_usd: 0.5 }],
      'icon: "☀️"\ntrigger: { type: schedule, cron: "30 7 * * mon-fri", timezone: Europe/Berlin }\n' +
        "budget: { per_month: 5 }",
    );
    await writeScript("minutely", [{ say: "tick" }], "trigger: { type: schedule, every: 1m }");
    await writeScript("remover", [{ say: "Removed." }]);
    await writeScript("dear", [{ say: "x", usage, cost_usd: 1.5 }]);
    await writeAgent(
      "torn",
      '---\nmodle: x\ntrigger: { type: schedule, cron: "99 * * * *" }\n---\nGo.',
    );
  },
};

async function seeAgent({ openPage, runtime, origin }: DashboardWorld): Promise<void> {
  await runToEnd(runtime(), "digest");
  const page = await openPage("#/agents/digest");
  await page.getByText("Mon to Fri at 07:30, Berlin").waitFor();
  await page.getByText(/^\w{3} \d+, 7:30 AM; .*7:30 AM; .*7:30 AM$|^\w{3} \d+, .*; .*; .*$/)
    .waitFor();
  const tools = page.getByRole("table", { name: "Tools" });
  await tools.getByRole("row", { name: /file_delete.*asks/ }).waitFor();
  assert.equal(await tools.getByRole("row", { name: /file_read.*asks/ }).count(), 0);
  const text = page.getByRole("region", { name: "Text of digest" });
  await text.getByText('cron: "30 7 * * mon-fri"').waitFor();
  for (const title of ["Runs", "Mean duration", "Cost"]) {
    await page.getByRole("slider", { name: `${title} per day` }).waitFor();
  }
  assert.match(
    await page.getByRole("slider", { name: "Runs per day" }).getAttribute("aria-valuetext") ?? "",
    /: 1; succeeded 1$/,
  );
  // The file names an icon. For another agent, the page shows a letter.
  await page.evaluate('location.hash = "#/agents"');
  await page.locator(".agents .icon", { hasText: "☀️" }).waitFor();
  assert.equal(await page.locator('.agents .letter[data-letter="R"]').count(), 1);
  const { icon_set: isSet, icon } = await (await page.request.get(`${origin}/agents/remover`))
    .json();
  assert.equal(isSet, false);
  assert.notEqual(icon, "");
}

async function seeCompanions({ openPage, workspace }: DashboardWorld): Promise<void> {
  const { agentsDir } = workspace;
  await Deno.writeTextFile(`${agentsDir}/dear.memory.md`, "## Names\n\nThe cat is *Mia*.\n");
  await Deno.writeTextFile(`${agentsDir}/dear.test.yaml`, "model: [{ say: Hello }]\n");
  const page = await openPage("#/agents/dear");
  await page.getByRole("button", { name: /Memory \d+ characters$/ }).click();
  const memory = page.getByRole("region", { name: "Memory of dear" });
  await memory.getByText("The cat is Mia.").waitFor();
  await page.getByRole("button", { name: "Tests 1 case" }).click();
  await page.getByRole("button", { name: /dear$/ }).click();
  await page.getByRole("region", { name: "Test case dear" }).getByText("say: Hello").waitFor();
}

async function seeBrokenAgent({ openPage }: DashboardWorld): Promise<void> {
  const page = await openPage("#/agents/torn");
  const faults = page.getByRole("region", { name: "Files that cannot be read as agents" });
  await faults.getByText(/Line \d: trigger.cron is not a valid/).waitFor();
  const text = page.getByRole("region", { name: "Text of torn" });
  await text.getByText("modle: x").waitFor();
  await text.locator(".line-problem.error", { hasText: "trigger.cron" }).waitFor();
  const marked = text.locator(".diff-line.removed");
  assert.equal(await marked.count(), 1);
  assert.match(await marked.innerText(), /^3\s+trigger:/);
}

async function divideUsage({ openPage, runtime }: DashboardWorld): Promise<void> {
  for (const id of ["digest", "dear"]) await runToEnd(runtime(), id);
  const page = await openPage("#/usage");
  await page.getByText(/^\$[\d.]+ of \$5\.00/).waitFor();
  await page.getByLabel("By", { exact: true }).selectOption("trigger");
  const byTrigger = page.getByRole("table", { name: "Usage by trigger" });
  await byTrigger.getByRole("row", { name: /^manual/ }).waitFor();
  await page.getByLabel("By", { exact: true }).selectOption("model");
  await page.getByRole("table", { name: "Usage by model" })
    .getByRole("row", { name: /^demo\/script/ }).waitFor();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  assert.equal(file.suggestedFilename(), "usage-by-model.csv");
  const text = await Deno.readTextFile(await file.path());
  assert.match(text, /^date,model,executions,[^]*\r\n\d{4}-\d\d-\d\d,demo\/script,/);
}

async function zoomSchedule({ openPage }: DashboardWorld): Promise<void> {
  const page = await openPage("#/schedule");
  const job = page.getByRole("region", { name: "minutely" });
  await job.locator(".mark-upcoming.band").waitFor();
  // Within an hour, the same times are single marks.
  await page.getByRole("button", { name: "1 hour" }).click();
  await job.locator("svg.mark-upcoming").nth(20).waitFor();
  assert.equal(await job.locator(".mark-upcoming.band").count(), 0);
  await page.getByRole("button", { name: "1 week" }).click();
  await page.getByRole("region", { name: "digest" }).locator(".mark-upcoming").first().waitFor();
  await page.getByRole("list", { name: "Marks" }).getByText("many in a row").waitFor();
}

testInDashboard("dashboard: an agent's page", SET_UP, [
  ["has its text, its tools, its next runs in words, and charts of its runs", seeAgent],
  ["shows its memory and its test cases", seeCompanions],
  ["a broken agent's page shows the error at its line", seeBrokenAgent],
  ["the usage is divided by model and trigger, and is downloaded as CSV", divideUsage],
  ["a dense schedule is a band, and single marks within an hour", zoomSchedule],
]);
