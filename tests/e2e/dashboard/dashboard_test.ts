// The dashboard as a person uses it, in a real browser: running, watching, answering, looking back, losing the service.
import assert from "node:assert/strict";
import { testInBrowser as test } from "../../support/machine/browser.ts";
import { runToEnd } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import {
  API_KEY,
  openDashboardWorld,
  openSlowModel,
  openWorkerWorld,
  writeAsker,
} from "./dashboard_world.ts";

test("dashboard: what a person does with it: an agent is run, watched as it streams, and seen to its end", async (browser) => {
  await using model = openSlowModel(["Once upon", " a time.\n\n- **bold** end"]);
  await using world = await openDashboardWorld(browser, (workspace) =>
    workspace.writeAgent(
      "storyteller",
      `---\nname: The Teller\ndescription: Tells stories\n${model.frontMatter}\n---\nTell a story.`,
    ));
  const page = await world.openPage("#/agents");
  await page.getByRole("button", { name: "Run The Teller" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Arguments").fill("a dragon\na tower");
  await dialog.getByLabel("Message").fill("Tell it slowly.");
  await dialog.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText("Once upon", { exact: true }).waitFor();
  await page.locator(".status.running").first().waitFor();
  await page.getByText("Tell it slowly.").waitFor();
  await page.getByText("a dragon · a tower").waitFor();

  // The same, from where everything that runs is seen.
  const other = await world.openPage("#/");
  await other.locator(".run-card").getByText("Once upon").waitFor();
  model.finish();
  await page.getByRole("heading", { name: "Answer", exact: true }).waitFor();
  await page.locator(".status.success").first().waitFor();
  await page.locator(".prose strong", { hasText: "bold" }).waitFor();
  await other.getByText("Nothing is running.").waitFor();
  await other.getByRole("table", { name: "Recently ended" }).getByText("The Teller").waitFor();
  const [execution] = await world.runtime().listExecutions({ limit: 5, offset: 0 });
  assert.deepEqual(execution?.args, ["a dragon", "a tower"]);
});

test("dashboard: what a person does with it: a run whose answer is lost is one run, however often it is sent", async (browser) => {
  await using world = await openWorkerWorld(browser);
  const page = await world.openPage("#/agents");
  const losses = ["a connection that breaks", "a proxy that gives up", "a refusal on the way"];
  await page.route("**/agents/worker/run", async (route) => {
    const loss = losses.shift();
    if (loss === undefined) return await route.continue();
    await route.fetch();
    if (loss === "a connection that breaks") await route.abort();
    else await route.fulfill({ status: loss === "a proxy that gives up" ? 504 : 429 });
  });
  await page.getByRole("button", { name: "Run worker" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Arguments").fill("\nbehind an empty one");
  for (let left = losses.length; left > 0; left--) {
    await dialog.getByRole("button", { name: "Run", exact: true }).click();
    await until(() => losses.length < left, "the request is on its way");
    await dialog.getByRole("alert").waitFor();
  }
  await dialog.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("heading", { name: "Answer", exact: true }).waitFor();
  assert.match(page.url(), /#\/executions\/1$/);
  const executions = await world.runtime().listExecutions({ limit: 5, offset: 0 });
  assert.deepEqual(executions.map(({ args }) => args), [["", "behind an empty one"]]);
});

test("dashboard: what a person does with it: an answer that is refused is told with the service's reason", async (browser) => {
  await using world = await openDashboardWorld(browser, writeAsker);
  const { id } = await runToEnd(world.runtime(), "asker");
  const page = await world.openPage(`#/executions/${id}`);
  const detail = "Agent 'asker' cannot be read: fix the file and try again";
  await page.route("**/respond", (route) => route.fulfill({ status: 409, json: { detail } }));
  await page.getByRole("textbox", { name: "Your answer" }).fill("Ada");
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator(".request .problem").getByText(detail).waitFor();
  await page.unroute("**/respond");
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator(".prose").getByText("Heard: Ada").waitFor();
});

test("dashboard: what a person does with it: questions are answered where they stand, each in its kind", async (browser) => {
  const ask = (args: object) => [
    { call: [{ name: "ask_user", arguments: args }] },
    { say: "Heard: {result}" },
  ];
  await using world = await openDashboardWorld(browser, async (workspace) => {
    await workspace.writeScript("remover", [
      { call: [{ name: "file_delete", arguments: { path: "old.md" } }] },
      { say: "Removed." },
    ]);
    await workspace.writeScript("refused", [
      { call: [{ name: "file_delete", arguments: { path: "kept.md" } }] },
      { say: "Heard: {result}" },
    ]);
    await workspace.writeScript("input", ask({ question: "Which name?", kind: "input" }));
    const options = ["red", "green", "blue"];
    await workspace.writeScript("choice", ask({ question: "Which colour?", options }));
    await workspace.writeScript("multi", ask({ question: "Which ones?", options, multi: true }));
    await Deno.writeTextFile(`${workspace.workspace}/old.md`, "x");
    await Deno.writeTextFile(`${workspace.workspace}/kept.md`, "x");
  });
  const runtime = world.runtime();
  const page = await world.openPage("#/");
  const request = (name: string) =>
    page.locator(".request").filter({ has: page.getByRole("heading", { name }) });
  for (const id of ["remover", "refused", "input", "choice", "multi"]) {
    await runtime.run(id, {});
    await request(id).waitFor();
  }
  await page.getByRole("link", { name: "Now 5 questions wait" }).waitFor();
  assert.match(await page.title(), /^\(5\)/);

  await request("remover").locator(".changed").getByText("old.md").waitFor();
  await request("remover").getByRole("button", { name: "Approve" }).click();
  await request("remover").waitFor({ state: "detached" });
  await request("refused").getByRole("textbox").fill("not that one");
  await request("refused").getByRole("button", { name: "Deny" }).click();
  await request("input").getByLabel("Your answer").fill("Ada");
  await request("input").getByRole("button", { name: "Send" }).click();
  await request("choice").getByLabel("green").check();
  await request("choice").getByRole("button", { name: "Send" }).click();
  await request("multi").getByLabel("blue").check();
  await request("multi").getByLabel("red").check();
  await request("multi").getByRole("button", { name: "Send" }).click();
  await page.getByRole("heading", { name: "Waiting for you" }).waitFor({ state: "detached" });
  await page.locator(".rows tbody tr").nth(4).waitFor();
  const answers = await Promise.all(
    [1, 2, 3, 4, 5].map(async (id) => (await runtime.getExecution(id)).outputData),
  );
  assert.deepEqual(answers, [
    "Removed.",
    "Heard: Action denied by user: not that one",
    ...["Ada", "green", "red, blue"].map((text) => `Heard: ${text}`),
  ]);
  // How it went stands in the timeline, too.
  await page.goto(`${world.origin}/ui#/executions/2`);
  await page.getByText("Denied: not that one").waitFor();
});

test("dashboard: what a person does with it: history is filtered, and the filter stands in the address", async (browser) => {
  await using world = await openDashboardWorld(browser, async (workspace) => {
    await workspace.writeScript("good", [{ say: "fine" }]);
    await workspace.writeScript("bad", [{ fail: "no luck today" }]);
  });
  const page = await world.openPage("#/history");
  await page.getByText("No executions match this filter.").waitFor();
  for (const id of ["good", "bad", "good"]) await world.runtime().run(id, {});
  const rows = page.locator(".rows tbody tr");
  await page.locator(".rows .status.success").nth(1).waitFor();
  await page.locator(".rows .status.error").waitFor();
  assert.equal(await rows.count(), 3);
  await page.getByLabel("Status").selectOption("error");
  await page.getByText("no luck today").waitFor();
  await until(async () => await rows.count() === 1, "the list follows");
  assert.match(page.url(), /#\/history\?status=error$/);
  await page.getByLabel("Status").selectOption("");
  await page.getByLabel("Agent").selectOption("good");
  await until(async () => await rows.count() === 2, "the list follows");
  await rows.getByText("fine").first().waitFor();
  await page.goBack();
  await page.goBack();
  await page.getByText("no luck today").waitFor();
  await page.getByLabel("Status").selectOption("");
  const search = page.getByRole("searchbox", { name: "Text" });
  await search.fill("NO LUCK");
  // An execution that ends meanwhile draws the list again: what was typed stays.
  await world.runtime().run("good", {});
  await until(async () => await rows.count() === 4, "the list is live");
  assert.equal(await search.inputValue(), "NO LUCK");
  await search.press("Enter");
  await until(async () => await rows.count() === 1, "the list follows");
  await page.getByText("no luck today").waitFor();
  assert.match(page.url(), /#\/history\?q=NO\+LUCK$/);
  await page.getByLabel("To").fill("2020-01-31");
  await page.getByText("No executions match this filter.").waitFor();
  await page.getByLabel("From").fill("2020-01-01");
  await page.getByLabel("To").fill("");
  await page.getByText("no luck today").waitFor();
  await page.getByRole("link", { name: "bad" }).click();
  await page.getByRole("heading", { name: "Ended: error" }).waitFor();
});

test("dashboard: what a person does with it: usage is shown in the service's days where the browser's zone has no name", async (browser) => {
  await using world = await openWorkerWorld(browser);
  await runToEnd(world.runtime(), "worker");
  const page = await world.openPage("#/agents");
  await page.addInitScript(
    "Intl.DateTimeFormat.prototype.resolvedOptions = () => ({ timeZone: '+02:00' });",
  );
  await page.goto(`${world.origin}/ui?odd#/usage`);
  await page.locator(".figures").getByText("Executions").waitFor();
});

test("dashboard: what a person does with it: the scheduler is paused and resumed, and shows a day of its times", async (browser) => {
  await using world = await openDashboardWorld(browser, (workspace) =>
    workspace.writeScript(
      "hourly",
      [{ say: "tick" }],
      'trigger: { type: schedule, cron: "0 * * * *" }',
    ));
  const page = await world.openPage("#/schedule");
  await page.getByRole("slider", { name: /0 runs, 0 skipped, 0 missed; next/ }).waitFor();
  assert.equal(await page.getByText("Not due in these hours.").count(), 0);
  // A mark at the very end of the line is drawn whole.
  const [job, line] = await Promise.all(
    [".job", ".day-line"].map((part) => page.locator(part).boundingBox()),
  );
  assert.ok(job && line && line.x >= job.x + 6 && line.x + line.width + 6 <= job.x + job.width);
  assert.ok(await page.locator(".day-line .mark-upcoming").count() >= 11);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused: nothing starts by itself.").waitFor();
  assert.equal((await world.runtime().scheduler()).status, "paused");
  // Whoever resumes it, the page shows it.
  await world.runtime().resumeScheduler();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await page.getByText("Paused: no schedule").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Earlier" }).click();
  await page.getByRole("button", { name: "Earlier" }).click();
  await until(
    async () => await page.locator(".day-line .mark-upcoming").count() === 0,
    "the list follows",
  );
});

test("dashboard: what a person does with it: a lost service is told, found again, and what changed meanwhile is shown", async (browser) => {
  await using world = await openWorkerWorld(browser);
  const page = await world.openPage("#/agents");
  await page.getByText("never ran").waitFor();
  await world.stopService();
  await page.getByText("Connection lost.").first().waitFor();
  await world.workspace.writeScript("newcomer", [{ say: "hello" }]);
  await world.startService();
  await page.getByRole("button", { name: "Try now" }).click({ timeout: 5_000 })
    .catch(() => {/* It was found before. */});
  await page.locator(".banner").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Run newcomer" }).waitFor();
  // The connection is a new one, and as good.
  await world.runtime().run("worker", {});
  await page.locator(".agent .status.success").waitFor();
});

test("dashboard: what a person does with it: a view that is opened without the service says so, and loads when it is back", async (browser) => {
  await using world = await openWorkerWorld(browser);
  await runToEnd(world.runtime(), "worker");
  const page = await world.openPage("#/");
  const ended = page.getByRole("table", { name: "Recently ended" });
  await ended.getByText("worker").waitFor();
  await world.stopService();
  await page.getByText("Connection lost.").first().waitFor();
  // No topic changes the usage of a day, and a page of the history stays under the reader's eyes.
  for (const hash of ["#/usage?days=90", "#/history?page=2", "#/executions/1", "#/log"]) {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.locator("main").getByText("The service cannot be reached.").waitFor();
    assert.equal(await page.getByText("Loading …").count(), 0, hash);
  }
  await page.evaluate('location.hash = "#/"');
  await ended.getByText("worker").waitFor();
  await page.getByText("Nothing is running.").waitFor();
  await page.evaluate('location.hash = "#/usage?days=90"');
  await page.locator("main").getByText("The service cannot be reached.").waitFor();
  await world.startService();
  await page.getByRole("heading", { name: "By agent" }).waitFor();
});

test("dashboard: what a person does with it: a question outlives a loss of the service, and so does a half-written answer", async (browser) => {
  await using world = await openDashboardWorld(browser, writeAsker);
  const { id } = await runToEnd(world.runtime(), "asker");
  const page = await world.openPage(`#/executions/${id}`);
  await page.getByRole("textbox", { name: "Your answer" }).fill("half an ans");
  await world.stopService();
  await page.getByText("Connection lost.").first().waitFor();
  // Nothing that somebody wrote is lost with the service.
  assert.equal(
    await page.getByRole("textbox", { name: "Your answer" }).inputValue(),
    "half an ans",
  );
  await page.getByRole("textbox", { name: "Your answer" }).press("Control+Enter");
  await page.locator(".request .problem").waitFor();
  await world.startService();
  await page.locator(".banner").waitFor({ state: "detached" });
  // Answered elsewhere: the page shows it as it shows its own answers.
  const { requestId } = await world.runtime().pendingRequest(id);
  await world.runtime().respond(id, { requestId, answer: { text: "Ada" } });
  await page.getByRole("heading", { name: "Ended: success" }).waitFor();
  await page.locator(".prose").getByText("Heard: Ada").waitFor();
  await page.locator(".request").waitFor({ state: "detached" });
});

test("dashboard: what a person does with it: a page that nobody sees follows no execution, and catches up when it is seen", async (browser) => {
  await using model = openSlowModel(["Once upon", " a time."]);
  await using world = await openDashboardWorld(
    browser,
    (workspace) =>
      workspace.writeAgent("storyteller", `---\n${model.frontMatter}\n---\nTell a story.`),
  );
  await world.runtime().run("storyteller", {});
  const page = await world.openPage("#/executions/1");
  await page.getByText("Once upon", { exact: true }).waitFor();
  const streams = async () => {
    const response = await fetch(`${world.origin}/info`, { headers: { "x-api-key": API_KEY } });
    return (await response.json()).active_streams;
  };
  const see = (isSeen: boolean) =>
    page.evaluate(
      `Object.defineProperty(document, "hidden", { value: ${!isSeen}, configurable: true });` +
        'document.dispatchEvent(new Event("visibilitychange"));',
    );
  await until(async () => await streams() === 2, "the events and the execution are followed");
  await see(false);
  await until(async () => await streams() === 1, "only the events are followed");
  model.finish();
  await page.locator(".status.success").first().waitFor();
  assert.equal(await page.getByRole("heading", { name: "Answer", exact: true }).count(), 0);
  await see(true);
  await page.getByRole("heading", { name: "Answer", exact: true }).waitFor();
  await page.locator(".prose").getByText("Once upon a time.").waitFor();
});
