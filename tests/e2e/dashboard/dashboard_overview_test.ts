// What a person sees at one look: the first page after a night, many agents, a wide screen, a chart, a day of a schedule.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { testInBrowser } from "../../support/machine/browser.ts";
import { runToEnd } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { type DashboardWorld, openDashboardWorld, openSlowModel } from "./dashboard_world.ts";

const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

/** An agent that fails again and again, one that is well, one that asks, one that its file stops. */
async function openAmissWorld(browser: Browser): Promise<DashboardWorld> {
  const world = await openDashboardWorld(browser, async (workspace) => {
    await workspace.writeScript("bad", [{ fail: "no luck today\nnor tomorrow" }]);
    const usage = { input: 900, output: 40 };
    await workspace.writeScript("good", [{ say: "fine", usage, cost_usd: 0.25 }]);
    const options = ["red", "green"];
    await workspace.writeScript("asker", [
      { call: [{ name: "ask_user", arguments: { question: "Which?", options } }] },
      { say: "Done" },
    ]);
    const hourly = 'trigger: { type: schedule, cron: "0 * * * *" }';
    await workspace.writeScript("off", [{ say: "never" }], `${hourly}\nenabled: false`);
    await workspace.writeScript("hourly", [{ say: "tick" }], hourly);
    const torn = hourly.replace("0 *", "99 *");
    await workspace.writeAgent(
      "torn",
      `---\nmodle: x\nmodel: { provider: demo, name: echo }\n${torn}\n---\nGo.`,
    );
  });
  for (const id of ["bad", "bad", "bad", "good", "asker"]) await runToEnd(world.runtime(), id);
  return world;
}

async function seeWhatHappened(browser: Browser): Promise<void> {
  await using world = await openAmissWorld(browser);
  const page = await world.openPage("#/");
  // One line for the agent that failed, however often; it leads to the last failure, and the count to all of them.
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
  assert.match(figures, /Runs 5 1 succeeded 1 waiting Failed 3 Cost \$0\.25 .*Waiting for you 1/);
  await region(page, "Does not run by itself now").getByText("enabled: false in its file")
    .waitFor();
  await region(page, "Due next").getByRole("link", { name: "hourly" }).waitFor();
  // A file that never parsed is told by its error, not its first warning, and its name leads to all of them.
  const broken = await world.openPage("#/");
  const stopped = region(broken, "Does not run by itself now").getByRole("listitem");
  await stopped.filter({ hasText: "torn" }).getByText(/its file has an error: .*99/).waitFor();
  await stopped.getByRole("link", { name: "torn" }).click();
  const faults = region(broken, "Files that cannot be read as agents").getByRole("listitem");
  await faults.nth(1).waitFor();
  assert.match(
    (await faults.allInnerTexts()).join("|"),
    /^Line 4: .*99.*\|Warning: Line 2: .*modle/,
  );
  await region(page, "Waiting for you").getByText("Which?").waitFor();
  await page.getByRole("link", { name: "Agents 1 fails" }).waitFor();
  // What the service knows of the days before, told beside the cost; and of times at which it was away.
  const other = await world.openPage("#/agents");
  await other.route("**/recap?*", async (route) => {
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
  await other.evaluate('location.hash = "#/"');
  await other.getByText("day before $0.50").waitFor();
  await other.getByText("7-day mean $0.75").waitFor();
  const missed = (await region(other, "Did not run").getByRole("listitem").innerText())
    .replaceAll(/\s+/g, " ");
  assert.match(missed, /hourly 7 missed the service was away Jan 31, \d+:12.*:15/);
  const away = await region(other, "The service was not running").getByRole("listitem")
    .allInnerTexts();
  assert.match(away.join("|"), /:10.*:20.*\|until .*:20.*: it had been killed$/);
  // It is live.
  await runToEnd(world.runtime(), "bad");
  await failed.getByText("4 failures").waitFor();
  await failed.getByRole("link", { name: "4 failures" }).click();
  await page.waitForURL(/#\/history\?agent=bad&from=\d{4}-\d\d-\d\d$/);
  const rows = page.locator(".rows tbody tr");
  await until(async () => await rows.count() === 4, "the failures are listed");
}

async function lookAgain(browser: Browser): Promise<void> {
  await using world = await openAmissWorld(browser);
  const page = await world.openPage("#/");
  const failed = region(page, "Failed");
  await failed.getByText("3 failures").waitFor();
  // Loaded again it tells the same; after two hours it begins where that look ended.
  await page.reload();
  await failed.getByText("3 failures").waitFor();
  await page.clock.setFixedTime(Date.now() + 2 * 3_600_000);
  await page.reload();
  await failed.getByText("Nothing failed.").waitFor();
  await page.getByRole("button", { name: "7 days" }).click();
  await failed.getByText("3 failures").waitFor();
  await page.reload();
  await failed.getByText("3 failures").waitFor();
  const chosen = page.getByRole("button", { name: "7 days", pressed: true });
  assert.equal(await chosen.count(), 1);
}

async function seeManyAgents(browser: Browser): Promise<void> {
  await using world = await openDashboardWorld(browser, async (workspace) => {
    for (let n = 1; n <= 17; n++) {
      const trigger = n % 2 === 0
        ? 'trigger: { type: schedule, cron: "0 * * * *" }'
        : "trigger: { type: manual }";
      const description = `description: ${"Says in many words what it does. ".repeat(6)}`;
      await workspace.writeScript(`agent-${n}`, [{ say: "fine" }], `${description}\n${trigger}`);
    }
  });
  await runToEnd(world.runtime(), "agent-1");
  const page = await world.openPage("#/agents", { viewport: { width: 1920, height: 1080 } });
  const rows = page.locator(".agents > li");
  await until(async () => await rows.count() === 17, "all agents are listed");
  await page.getByText("success").waitFor();
  const box = await rows.last().boundingBox();
  assert.ok(box !== null && box.y + box.height <= 1_080, `the last row ends at ${box?.y}`);
  await page.getByLabel("Trigger").selectOption("schedule");
  await until(async () => await rows.count() === 8, "the list follows");
  // No view is a narrow column in an empty page.
  for (const width of [1_920, 2_560]) {
    await page.setViewportSize({ width, height: 1_080 });
    for (const view of ["", "agents", "history", "schedule", "usage"]) {
      await page.evaluate(`location.hash = "#/${view}"`);
      const widest = page.locator("main :is(table, .agents, .job, .columns)").first();
      await widest.waitFor();
      const used = (await widest.boundingBox())?.width ?? 0;
      assert.ok(used >= 0.9 * width, `${view} uses ${used} of ${width}`);
    }
  }
}

async function tellOutcomesApart(browser: Browser): Promise<void> {
  await using model = openSlowModel(["Once upon", " a time."]);
  await using world = await openDashboardWorld(browser, async (workspace) => {
    await workspace.writeAgent("running", `---\n${model.frontMatter}\n---\nTell a story.`);
    await workspace.writeScript("success", [{ say: "fine" }]);
    await workspace.writeScript("error", [{ fail: "no luck" }]);
    await workspace.writeScript("waiting", [
      { call: [{ name: "ask_user", arguments: { question: "Which?", kind: "input" } }] },
      { say: "Done" },
    ]);
  });
  for (const id of ["success", "error", "waiting"]) await runToEnd(world.runtime(), id);
  await world.runtime().run("running", {});
  const page = await world.openPage("#/history");
  const looks = await Promise.all(
    ["success", "error", "waiting", "running"].map(async (status) => {
      const mark = page.locator(`.rows .status.${status}`);
      await mark.waitFor();
      assert.equal(await mark.innerText(), status);
      const look = await page.evaluate(
        `(({ color, clipPath }) => [color, clipPath])(getComputedStyle(document.querySelector(` +
          `".rows .status.${status}"), "::before"))`,
      );
      return look as [string, string];
    }),
  );
  assert.equal(new Set(looks.map(([colour]) => colour)).size, 4);
  assert.equal(new Set(looks.map(([, shape]) => shape)).size, 4);
  await page.getByLabel("Trigger").selectOption("schedule");
  await page.getByText("No executions match this filter.").waitFor();
  await page.getByLabel("Trigger").selectOption("manual");
  await until(async () => await page.locator(".rows tbody tr").count() === 4, "all are by hand");
  await page.getByLabel("Status").selectOption("error");
  await page.getByLabel("Agent").selectOption("error");
  await page.getByLabel("From").fill("2020-01-01");
  await until(async () => await page.locator(".rows tbody tr").count() === 1, "one is left");
  assert.match(page.url(), /\?status=error&agent=error&trigger=manual&from=2020-01-01$/);
  await page.reload();
  await page.getByText("no luck").waitFor();
  assert.equal(await page.getByLabel("Trigger").inputValue(), "manual");
  model.finish();
}

async function readTheUsage(browser: Browser): Promise<void> {
  await using world = await openDashboardWorld(browser, async (workspace) => {
    const usage = { input: 900, output: 100 };
    await workspace.writeScript("cheap", [{ say: "x", usage, cost_usd: 0.004 }]);
    await workspace.writeScript("dear", [{ say: "x", usage, cost_usd: 1.5 }]);
    await workspace.writeScript("free", [{ say: "x" }]);
  });
  for (const id of ["cheap", "cheap", "dear", "free"]) await runToEnd(world.runtime(), id);
  const page = await world.openPage("#/usage?days=7");
  const chart = page.getByRole("slider", { name: "Cost per day" });
  const today = new Intl.DateTimeFormat("en-US", { day: "numeric", month: "short" })
    .format(new Date());
  assert.equal(
    await chart.getAttribute("aria-valuetext"),
    `${today}: $1.5080; dear $1.5000, cheap $0.0080`,
  );
  const readout = page.locator(".chart").filter({ has: chart }).locator(".readout");
  assert.equal(await readout.innerText(), await chart.getAttribute("aria-valuetext"));
  await chart.press("ArrowLeft");
  await until(async () => /: \$0\.0000$/.test(await readout.innerText()), "the day before is told");
  await chart.press("End");
  await until(async () => (await readout.innerText()).startsWith(today), "today is told again");
  await chart.locator("g").first().hover();
  await until(
    async () => /: \$0\.0000$/.test(await readout.innerText()),
    "the pointer is followed",
  );
  assert.deepEqual(await page.locator(".axis").first().locator("span").allInnerTexts(), [
    ...["$2.00", "$1.50", "$1.00", "$0.50", "$0.00"],
  ]);

  const table = page.getByRole("table", { name: "Usage by agent" });
  const column = async (number: number) =>
    await table.locator(`tbody tr > :nth-child(${number})`).allInnerTexts();
  const order = async () => (await column(1)).map((text) => text.replace(/\W/g, "")).join();
  const header = (name: string) => table.getByRole("columnheader", { name });
  assert.equal(await header("Tokens").getAttribute("aria-sort"), "descending");
  await header("Cost").getByRole("button").press("Enter");
  await until(async () => await order() === "dear,cheap,free", "the dearest comes first");
  assert.equal(await header("Cost").getAttribute("aria-sort"), "descending");
  assert.equal(await header("Tokens").getAttribute("aria-sort"), null);
  await header("Cost").getByRole("button").press("Enter");
  await until(async () => (await order()).startsWith("free,cheap"), "the cheapest comes first");
  await header("Agent").getByRole("button").click();
  await until(async () => await order() === "cheap,dear,free", "by name");
  const decimals = (await column(5)).map((text) => text.split(".")[1]?.length);
  assert.deepEqual(new Set(decimals), new Set([4]));
  await page.getByRole("button", { name: "Cost as figures" }).click();
  const figures = region(page, "Cost as figures").getByRole("row");
  assert.match(await figures.last().innerText(), /^All days[^]*\$1\.5080$/);
  assert.match(await figures.nth(1).innerText(), /\$1\.5080$/);
}

async function readTheSchedule(browser: Browser): Promise<void> {
  await using world = await openDashboardWorld(browser, (workspace) =>
    workspace.writeScript(
      "hourly",
      [{ say: "tick" }],
      'trigger: { type: schedule, cron: "0 * * * *", timezone: "Asia/Tokyo" }',
    ));
  const page = await world.openPage("#/log", { timezoneId: "Europe/Berlin" });
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const slot = (hours: number, execution_id: number | null, outcome = "run") => ({
    ...{ scheduled_for: ago(hours), outcome, execution_id, count: 1 },
    reason: outcome === "run" ? null : "still running",
  });
  // What takes hours, told by the service as it would be.
  await page.route("**/agents/hourly/slots*", (route) =>
    route.fulfill({
      json: [slot(1, 4), slot(2, null, "skipped"), slot(3, 3), slot(4, 2), slot(5, 1)],
    }));
  await page.route("**/executions?*", (route) => {
    const { searchParams } = new URL(route.request().url());
    if (searchParams.get("trigger") !== "schedule") return route.continue();
    const error = (status: string) => status === "error" ? "no luck today" : null;
    const statuses = ["running", "waiting", "error", "success"];
    return route.fulfill({
      json: statuses.map((status, index) => ({ id: 4 - index, status, error: error(status) })),
    });
  });
  await page.evaluate('location.hash = "#/schedule"');
  const line = page.getByRole("slider", {
    name: /^4 runs \(1 failed, 1 waiting, 1 running\), 1 skipped, 0 missed; next/,
  });
  await line.waitFor();
  await page.getByText(/ to .*, Europe\/Berlin$/).waitFor();
  await page.getByText("(Asia/Tokyo)").waitFor();
  const readout = page.locator(".job .readout");
  const told = (text: RegExp) =>
    until(async () => text.test(await readout.innerText()), `${text} is told`);
  // By keys: the latest first, then back to each with its reason.
  await line.focus();
  await told(/: running$/);
  await line.press("ArrowLeft");
  await told(/: skipped, still running$/);
  assert.match(await line.getAttribute("aria-valuetext") ?? "", /: skipped, still running$/);
  await line.press("ArrowLeft");
  await told(/: waiting$/);
  // By the pointer.
  await page.locator(".mark-failed path").last().hover();
  await told(/: failed, no luck today$/);
  const shapes = await page.locator(".day-line .mark:not(.mark-upcoming) path")
    .evaluateAll((paths) => paths.map((path) => path.getAttribute("d")));
  assert.equal(new Set(shapes).size, 5);
  // As a list, for everybody.
  await page.getByRole("button", { name: "5 entries" }).click();
  await page.getByRole("cell", { name: "still running" }).waitFor();
  await page.getByRole("cell", { name: "no luck today" }).waitFor();
  await line.focus();
  await line.press("Home");
  await told(/: success$/);
  await line.press("Enter");
  await page.waitForURL(/#\/executions\/1$/);
}

testInBrowser("dashboard: what it tells at one look", [
  [
    "the first page says what happened, a failing agent in one line, and stays live",
    seeWhatHappened,
  ],
  ["the first page begins where the last look ended, or where somebody chose", lookAgain],
  ["seventeen agents fit one screen, and wide screens are used", seeManyAgents],
  [
    "outcomes differ in word, colour and shape, and history is filtered by trigger",
    tellOutcomesApart,
  ],
  ["usage has an axis, tells each day by keys and pointer, and is sorted by keys", readTheUsage],
  [
    "a schedule tells each outcome with its reason by keys and pointer, and its zone",
    readTheSchedule,
  ],
]);
