// Tests of the start page after a night of runs.
import assert from "node:assert/strict";
import { runToEnd } from "../../support/test_workspace.ts";
import {
  type DashboardWorld,
  HOURLY,
  testInDashboard,
  untilSeen,
  type WorldSetUp,
} from "./dashboard_world.ts";
import { isInSight, region } from "./page_actions.ts";
import { addSlowAgent } from "./slow_agent.ts";

/** Agents for the sections of the page: failing, successful, asking, disabled, scheduled and broken ones. */
const AMISS: WorldSetUp = {
  async prepare(workspace) {
    await workspace.writeScript("bad", [{ fail: "no luck today\nnor tomorrow" }]);
    const usage = { input: 900, output: 40 };
    await workspace.writeScript("good", [{ say: "fine", usage, cost_usd: 0.25 }]);
    const options = ["red", "green"];
    await workspace.writeScript("asker", [
      { call: [{ name: "ask_user", arguments: { question: "Which?", options } }] },
      { say: "Done" },
    ]);
    await workspace.writeScript("off", [{ say: "never" }], `${HOURLY}\nenabled: false`);
    await workspace.writeScript("hourly", [{ say: "tick" }], HOURLY);
    const torn = 'trigger: { type: schedule, cron: "99 * * * *" }';
    await workspace.writeAgent(
      "torn",
      `---\nmodle: x\nmodel: { provider: demo, name: echo }\n${torn}\n---\nGo.`,
    );
  },
  async begin(runtime) {
    for (const id of ["bad", "bad", "bad", "good", "asker"]) await runToEnd(runtime, id);
  },
};

async function seeWhatHappened(world: DashboardWorld): Promise<void> {
  const page = await world.openPage("#/");
  // The failures of an agent share one line, with links to the last failure and to the history.
  const failed = region(page, "Failed").getByRole("listitem");
  await failed.getByText("3 failures").waitFor();
  assert.equal(await failed.count(), 1);
  assert.match(await failed.innerText(), /bad[^]*3 failures[^]*no luck today$/);
  const cause = failed.getByRole("link", { name: "no luck today" });
  assert.equal(await cause.getAttribute("href"), "#/executions/3");
  const ended = page.getByRole("table", { name: "Recently ended" }).locator("tbody tr");
  await ended.getByText("3 times").waitFor();
  assert.equal(await ended.count(), 2);
  const figures = (await region(page, "Since").innerText()).replaceAll(/\s+/g, " ");
  assert.match(figures, /Runs 5 1 succeeded 1 waiting Failed 3 Cost \$0\.25 .*Did not run 0/);
  await region(page, "Not running automatically").getByText("enabled: false in its file")
    .waitFor();
  await region(page, "Next runs").getByRole("link", { name: "hourly" }).waitFor();
  await region(page, "Waiting for you").getByText("Which?").waitFor();
  await page.getByRole("link", { name: "Agents 1 failed" }).waitFor();
  // The page updates while it is open.
  await runToEnd(world.runtime(), "bad");
  await failed.getByText("4 failures").waitFor();
  await failed.getByRole("link", { name: "4 failures" }).click();
  await page.waitForURL(/#\/history\?agent=bad&from=\d{4}-\d\d-\d\d$/);
  const rows = page.locator(".rows tbody tr");
  await untilSeen(async () => await rows.count() === 4, "the failures are listed");
  await page.evaluate('location.hash = "#/"');
  // The file `torn` has an error and a warning. Its line shows the error, and its name links to the agent.
  const stopped = region(page, "Not running automatically").getByRole("listitem");
  await stopped.filter({ hasText: "torn" }).getByText(/its file has an error: .*99/).waitFor();
  await stopped.getByRole("link", { name: "torn" }).click();
  const faults = region(page, "Files that cannot be read as agents").getByRole("listitem");
  await faults.nth(1).waitFor();
  assert.match(
    (await faults.allInnerTexts()).join("|"),
    /^Line 4: .*99.*\|Warning: Line 2: .*modle/,
  );
  // Responses with costs of earlier days and downtimes of the service.
  await page.route("**/recap?*", async (route) => {
    const told = await (await route.fetch()).json();
    const downtimes = [
      { from: "2026-01-31T08:10:00.000Z", to: "2026-01-31T08:20:00.000Z" },
      { from: null, to: "2026-01-31T09:20:00.000Z" },
    ];
    const costs = { cost_before_usd: 0.5, mean_cost_usd: 0.75 };
    const notRun = { agent_id: "hourly", outcome: "missed", reason: "the service was away" };
    const [first, last] = ["2026-01-31T08:12:00.000Z", "2026-01-31T09:15:00.000Z"];
    const json = { ...told, ...costs, downtimes, not_run: [{ ...notRun, count: 7, first, last }] };
    await route.fulfill({ json });
  });
  await page.evaluate('location.hash = "#/"');
  await page.getByText("day before $0.50").waitFor();
  await page.getByText("7-day mean $0.75").waitFor();
  const missed = (await region(page, "Did not run").getByRole("listitem").innerText())
    .replaceAll(/\s+/g, " ");
  assert.match(missed, /hourly 7 missed the service was away Jan 31, \d+:12.*:15/);
  const away = await region(page, "The service was not running").getByRole("listitem")
    .allInnerTexts();
  assert.match(away.join("|"), /:10.*:20.*\s10 min\|until .*:20.*: it was killed$/);
}

async function seeAllAtOnce(world: DashboardWorld): Promise<void> {
  await using model = await addSlowAgent(world, ["Once upon", " a time."]);
  const runtime = world.runtime();
  await runtime.run("teller", {});
  const page = await world.openPage("#/");
  await page.setViewportSize({ width: 1_440, height: 900 });
  for (
    const element of [
      region(page, "Waiting for you").getByText("Which?"),
      region(page, "Failed").getByText("no luck today"),
      region(page, "Running").getByRole("link", { name: "The Teller" }),
      region(page, "Next runs").getByRole("link", { name: "hourly" }),
    ]
  ) {
    await element.waitFor();
    await untilSeen(() => isInSight(element), `${element} is in sight`);
  }
  // The answer, not the task that led to it.
  await page.getByRole("table", { name: "Recently ended" }).getByText("fine", { exact: true })
    .waitFor();
  // Announcements are one line in the head, and cover no row.
  for (let count = 0; count < 3; count++) await runToEnd(runtime, "good");
  const boxOf = (selector: string) => page.locator(selector).first().boundingBox();
  await page.getByText(/^good ended: success \(execution \d+\)\./).first().waitFor();
  await untilSeen(async () => {
    const [line, head] = await Promise.all([boxOf(".announcements p"), boxOf(".page-head")]);
    return line !== null && head !== null && line.y >= head.y &&
      line.y + line.height <= head.y + head.height;
  }, "the announcement is in the head");

  await page.setViewportSize({ width: 390, height: 844 });
  const question = region(page, "Waiting for you").getByText("Which?");
  await untilSeen(() => isInSight(question), "the question is on a phone's first screen");
  await page.evaluate("scrollTo(0, document.body.scrollHeight)");
  const badge = page.getByRole("link", { name: "Now 1 open question" });
  await untilSeen(async () => !await isInSight(question), "the page has scrolled");
  await untilSeen(() => isInSight(badge), "the badge stays in sight");
  model.finish();
}

async function lookAgain(world: DashboardWorld): Promise<void> {
  const page = await world.openPage("#/", {});
  const failed = region(page, "Failed");
  await failed.getByText("3 failures").waitFor();
  // After two hours, the period starts at the end of the last visit.
  await page.clock.setFixedTime(Date.now() + 2 * 3_600_000);
  await page.reload();
  await failed.getByText("No failures.").waitFor();
  await page.getByRole("button", { name: "7 days" }).click();
  await failed.getByText("3 failures").waitFor();
  await page.reload();
  await failed.getByText("3 failures").waitFor();
  const chosen = page.getByRole("button", { name: "7 days", pressed: true });
  assert.equal(await chosen.count(), 1);
}

testInDashboard("dashboard: the recap of a night", AMISS, [
  ["the recap starts at the end of the last visit, or at a chosen time", lookAgain],
  [
    "the start page shows the recap, with one line for a failing agent, and stays live",
    seeWhatHappened,
  ],
  [
    "questions, failures, running and next runs are in sight at once, on a phone the questions",
    seeAllAtOnce,
  ],
]);
