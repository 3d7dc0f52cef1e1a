// Tests of the main uses in a browser: running, watching, answering, and losing the service.
import assert from "node:assert/strict";
import { runToEnd } from "../../support/test_workspace.ts";
import {
  API_KEY,
  type DashboardWorld,
  testInDashboard,
  untilSeen,
  type WorldSetUp,
  writeAsker,
} from "./dashboard_world.ts";
import { addSlowAgent } from "./slow_agent.ts";

const ask = (args: object) => [
  { call: [{ name: "ask_user", arguments: args }] },
  { say: "Heard: {result}" },
];

const SET_UP: WorldSetUp = {
  async prepare(workspace) {
    const { writeScript } = workspace;
    await writeScript("worker", [{ say: "done" }]);
    await writeAsker(workspace);
    await writeScript("remover", [
      { call: [{ name: "file_delete", arguments: { path: "old.md" } }] },
      { say: "Removed." },
    ]);
    await writeScript("refused", [
      { call: [{ name: "file_delete", arguments: { path: "kept.md" } }] },
      { say: "Heard: {result}" },
    ]);
    await writeScript("input", ask({ question: "Which name?", kind: "input" }));
    const options = ["red", "green", "blue"];
    await writeScript("choice", ask({ question: "Which color?", options }));
    await writeScript("multi", ask({ question: "Which ones?", options, multi: true }));
    await Deno.writeTextFile(`${workspace.workspace}/old.md`, "x");
    await Deno.writeTextFile(`${workspace.workspace}/kept.md`, "x");
  },
};

async function watchRun(world: DashboardWorld): Promise<void> {
  await using model = await addSlowAgent(world, ["Once upon", " a time.\n\n- **bold** end"]);
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

  // The start page lists all running executions, too.
  await page.evaluate('location.hash = "#/"');
  await page.locator(".run-card").getByText("Once upon").waitFor();
  await page.goBack();
  await page.getByText("Once upon", { exact: true }).waitFor();
  model.finish();
  await page.getByRole("heading", { name: "Answer", exact: true }).waitFor();
  await page.locator(".status.success").first().waitFor();
  await page.locator(".prose strong", { hasText: "bold" }).waitFor();
  await page.evaluate('location.hash = "#/"');
  await page.getByText("Nothing is running.").waitFor();
  await page.getByRole("table", { name: "Recently ended" }).getByText("The Teller").waitFor();
  const [execution] = await world.runtime().listExecutions({ limit: 1, offset: 0 });
  assert.deepEqual(execution?.args, ["a dragon", "a tower"]);
}

async function loseAnswers(world: DashboardWorld): Promise<void> {
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
    await untilSeen(() => losses.length < left, "the request is on its way");
    await dialog.getByRole("alert").waitFor();
  }
  await dialog.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("heading", { name: "Answer", exact: true }).waitFor();
  const executions = await world.runtime().listExecutions({
    agentId: "worker",
    limit: 5,
    offset: 0,
  });
  assert.ok(page.url().endsWith(`#/executions/${executions[0]?.id}`));
  assert.deepEqual(executions.map(({ args }) => args), [["", "behind an empty one"]]);
}

async function answerQuestions(world: DashboardWorld): Promise<void> {
  const runtime = world.runtime();
  const page = await world.openPage("#/");
  const request = (name: string) =>
    page.locator(".request").filter({ has: page.getByRole("heading", { name }) });
  const ids: number[] = [];
  for (const agent of ["remover", "refused", "input", "choice", "multi"]) {
    ids.push((await runtime.run(agent, {})).id);
    await request(agent).waitFor();
  }
  await page.getByRole("link", { name: "Now 5 open questions" }).waitFor();
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
    ids.map(async (id) => (await runtime.getExecution(id)).outputData),
  );
  assert.deepEqual(answers, [
    "Removed.",
    "Heard: Action denied by user: not that one",
    ...["Ada", "green", "red, blue"].map((text) => `Heard: ${text}`),
  ]);
  // The timeline also contains the answer.
  await page.evaluate(`location.hash = "#/executions/${ids[1]}"`);
  await page.getByText("Denied: not that one").waitFor();
}

async function loseService(world: DashboardWorld): Promise<void> {
  const { id } = await runToEnd(world.runtime(), "asker");
  const page = await world.openPage("#/");
  const goTo = (hash: string) => page.evaluate(`location.hash = "${hash}"`);
  await page.getByText("Which name?").waitFor();
  await goTo(`#/executions/${id}`);
  const answer = page.getByRole("textbox", { name: "Your answer" });
  await answer.fill("half an ans");
  // The page shows why the service refused.
  const detail = "Agent 'asker' cannot be read: fix the file and try again";
  await page.route("**/respond", (route) => route.fulfill({ status: 409, json: { detail } }));
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator(".request .problem").getByText(detail).waitFor();
  await page.unroute("**/respond");

  await world.stopService();
  await page.getByText("Connection lost.").first().waitFor();
  assert.equal(await answer.inputValue(), "half an ans", "no written text is lost");
  await answer.press("Control+Enter");
  await page.locator(".request .problem").waitFor();
  // A view that was not open reports that it cannot be loaded. A view that was open keeps its data.
  for (const hash of ["#/history?page=2", "#/executions/999", "#/log", "#/usage?days=90"]) {
    await goTo(hash);
    await page.locator("main").getByText("The service is unreachable.").waitFor();
    assert.equal(await page.getByText("Loading …").count(), 0, hash);
  }
  await goTo("#/");
  await page.getByText("Which name?").waitFor();
  await goTo("#/usage?days=90");
  await page.locator("main").getByText("The service is unreachable.").waitFor();

  await page.getByRole("button", { name: "Try now" }).click();
  await world.workspace.writeScript("newcomer", [{ say: "hello" }]);
  await world.startService();
  await page.getByRole("heading", { name: "By agent" }).waitFor();
  await page.locator(".banner").waitFor({ state: "detached" });
  await goTo("#/agents");
  await page.getByRole("button", { name: "Run newcomer" }).waitFor();
  // The page has reconnected: it shows an answer that another client gave.
  await goTo(`#/executions/${id}`);
  await answer.waitFor();
  const { requestId } = await world.runtime().pendingRequest(id);
  await world.runtime().respond(id, { requestId, answer: { text: "Ada" } });
  await page.getByRole("heading", { name: "Ended: success" }).waitFor();
  await page.locator(".prose").getByText("Heard: Ada").waitFor();
  await page.locator(".request").waitFor({ state: "detached" });
}

async function hidePage(world: DashboardWorld): Promise<void> {
  await using model = await addSlowAgent(world, ["Once upon", " a time."]);
  const { id } = await world.runtime().run("teller", {});
  const page = await world.openPage(`#/executions/${id}`);
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
  await untilSeen(async () => await streams() === 2, "the events and the execution are followed");
  await see(false);
  await untilSeen(async () => await streams() === 1, "only the events are followed");
  model.finish();
  await page.locator(".status.success").first().waitFor();
  assert.equal(await page.getByRole("heading", { name: "Answer", exact: true }).count(), 0);
  await see(true);
  await page.getByRole("heading", { name: "Answer", exact: true }).waitFor();
  await page.locator(".prose").getByText("Once upon a time.").waitFor();
}

testInDashboard("dashboard: main uses", SET_UP, [
  ["an agent is run, and watched as it streams until its end", watchRun],
  ["a run request whose response is lost starts one run, despite repetitions", loseAnswers],
  ["questions of each kind are answered in their cards", answerQuestions],
  ["a hidden page follows no execution, and catches up when it is visible again", hidePage],
  [
    "the page reports a lost service, reconnects, and keeps a half-written answer",
    loseService,
  ],
]);
