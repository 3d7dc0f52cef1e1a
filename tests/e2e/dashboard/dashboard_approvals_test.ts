// Tests of approvals in a browser: the shown calls, decisions by buttons and by keys, decisions about all calls, and edited
// arguments.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { runToEnd, type TestWorkspace } from "../../support/test_workspace.ts";
import { expectNoFault } from "../../support/machine/expect_no_fault.ts";
import { type DashboardWorld, testInDashboard, untilSeen } from "./dashboard_world.ts";
import { openFolds } from "./page_actions.ts";

const LONG = Array.from({ length: 60 }, (_, index) => `- item ${index}`).join("\n") + "\n";

/** A custom tool with arguments of every type. */
const POSTER = `export default {
  description: "Posts",
  parameters: {
    type: "object",
    properties: { title: { type: "string" }, text: { type: "string" }, options: { type: "object" }, times: { type: "number" } },
    required: ["title", "text"],
  },
  run: (args) => JSON.stringify(args),
};
`;

const POST = {
  title: "Greetings \u202eevil",
  text: "Line one\n\n- **line** two <b>no markup</b>",
  options: { tags: ["a", "b"], loud: false },
  times: 3,
};

/** A command with a character that hides the text before it at a terminal. */
const COMMAND = "printf '%s' 'a\rb'";

const write = (path: string, content: string) => [
  { call: [{ name: "file_write", arguments: { path, content } }] },
  { say: "Heard: {result}" },
];

async function prepare(workspace: TestWorkspace): Promise<void> {
  await workspace.writeScript("reporter", write("report.md", "# Report\n\nAll **well**.\n"));
  await workspace.writeScript("editor", [
    {
      call: [{
        name: "file_edit",
        arguments: { path: "list.md", old_text: "- item 3\n", new_text: "- item three\n- more\n" },
      }],
    },
    { say: "Done" },
  ], "confirm: [file_edit]");
  await workspace.writeScript("remover", [
    { call: [{ name: "file_delete", arguments: { path: "list.md" } }] },
    { say: "Done" },
  ]);
  await workspace.writeScript("lost", [
    { call: [{ name: "file_delete", arguments: { path: "none.md" } }] },
    { say: "Heard: {result}" },
  ]);
  await workspace.writeScript("repeater", write("list.md", LONG));
  await workspace.writeScript("poster", [
    { call: [{ name: "post", arguments: POST }] },
    { say: "Done" },
  ], "tools: [post]\nconfirm: [post]");
  await workspace.writeScript("typist", [
    { call: [{ name: "shell", arguments: { command: COMMAND } }] },
    { say: "Heard: {result}" },
  ], "shell: true");
  const tools = join(workspace.agentsDir, "_config/tools");
  await Deno.mkdir(tools, { recursive: true });
  await Deno.writeTextFile(join(tools, "post.js"), POSTER);
  await Deno.writeTextFile(join(workspace.workspace, "list.md"), LONG);
  await Deno.remove(join(workspace.workspace, "report.md")).catch(
    () => {/* The proposed file does not exist yet. */},
  );
}

/** Removes all questions except those of these agents, and restores the agents' files. Returns the waiting executions. */
async function ask(world: DashboardWorld, ...agents: readonly string[]): Promise<number[]> {
  const runtime = world.runtime();
  for (const { id } of await runtime.listExecutions({ ...FIRST_PAGE, statuses: ["waiting"] })) {
    await runtime.cancel(id);
  }
  await prepare(world.workspace);
  await runtime.reloadAgents();
  return await Array.fromAsync(agents, async (agent) => {
    const { id, status } = await runToEnd(runtime, agent);
    assert.equal(status, "waiting", agent);
    return id;
  });
}

/** Opens a view with the named key of an author, who may change agents. */
async function openAsAuthor(world: DashboardWorld, name: string, hash: string): Promise<Page> {
  const keys = await world.runtime().keys();
  const author = { name, role: "author" as const, agents: null, lifeMs: null };
  const key = await keys.add(author, { via: "terminal" });
  return await world.openPage(hash, { extraHTTPHeaders: { "x-api-key": key } });
}

const FIRST_PAGE = { limit: 50, offset: 0 };

/** Returns the cards of these agents' questions. */
function cardsOf<const Names extends readonly string[]>(
  page: Page,
  names: Names,
): { [Index in keyof Names]: Locator } {
  const cards = names.map((name) =>
    page.locator(".request").filter({ has: page.getByRole("heading", { name }) })
  );
  return cards as { [Index in keyof Names]: Locator };
}

async function readCards(world: DashboardWorld): Promise<void> {
  await ask(world, "reporter", "editor", "remover", "lost", "poster", "repeater");
  const page = await openAsAuthor(world, "reader", "#/");
  const [repeater] = cardsOf(page, ["repeater"]);
  await repeater.getByText("Nothing would change.").waitFor();
  const [reporter, editor, remover, lost, poster] = cardsOf(page, [
    "reporter",
    "editor",
    "remover",
    "lost",
    "poster",
  ]);
  await editor.getByText("list.md").waitFor();
  const lines = await editor.locator(".diff-line").allInnerTexts();
  const flat = lines.map((line) => line.replaceAll("\n", ""));
  for (const line of ["−- item 3", "+- item three", "+- more"]) {
    assert.ok(flat.includes(line), flat.join(" | "));
  }
  assert.match(await editor.locator(".changed").innerText(), /\+2[\s\S]*−1/);
  const color = (kind: string) =>
    page.evaluate(`getComputedStyle(document.querySelector(".diff-line.${kind}")).backgroundColor`);
  const colors = await Promise.all(["added", "removed", "same"].map(color));
  assert.equal(new Set(colors).size, 3);
  // A long diff is truncated, and a button shows the rest.
  const removed = remover.locator(".diff-line.removed");
  assert.ok(await removed.count() < 45);
  await remover.getByRole("button", { name: /^Show \d+ more lines$/ }).click();
  assert.equal(await removed.count(), 60);
  await lost.locator(".problem").getByText("none.md").waitFor();

  const table = poster.getByRole("table", { name: /^Arguments of post in execution \d+$/ });
  const row = (name: string) => table.getByRole("row").filter({ hasText: name });
  await row("title").getByText("Greetings \\u202eevil").waitFor();
  await row("times").getByText("3", { exact: true }).waitFor();
  assert.match(await row("options").innerText(), /"tags": \[\s+"a",\s+"b"\s+\]/);
  await row("text").getByText("- **line** two <b>no markup</b>").waitFor();
  await row("text").getByRole("button", { name: "Show as Markdown" }).click();
  await row("text").locator("li strong", { hasText: "line" }).waitFor();
  await row("text").getByText("<b>no markup</b>").waitFor();
  assert.equal(await table.locator("b").count(), 0);

  await reporter.getByText("new file").waitFor();
  assert.equal(await reporter.locator("strong").count(), 0);
  await reporter.getByRole("button", { name: "Show the new text as Markdown" }).click();
  await reporter.locator(".prose strong", { hasText: "well" }).waitFor();

  // All forms of the card are open.
  await editor.getByRole("button", { name: "Edit arguments" }).click();
  await poster.getByRole("button", { name: "Edit arguments" }).click();
  await poster.getByLabel("times").fill("x");
  await poster.getByRole("button", { name: "Approve with changes" }).click();
  await reporter.getByRole("button", { name: "Always" }).click();
  await reporter.getByText("without approval").waitFor();
  await openFolds(page);
  await expectNoFault(page, "the cards");

  await reporter.getByRole("button", { name: "Back" }).click();
  await reporter.getByRole("button", { name: "Approve" }).click();
  await reporter.waitFor({ state: "detached" });
  const written = await Deno.readTextFile(join(world.workspace.workspace, "report.md"));
  assert.equal(written, "# Report\n\nAll **well**.\n");
}

async function editArguments(world: DashboardWorld): Promise<void> {
  const [id = 0] = await ask(world, "reporter", "poster");
  const page = await world.openPage("#/");
  const [reporter, poster] = cardsOf(page, ["reporter", "poster"]);
  await poster.getByRole("button", { name: "Edit arguments" }).click();
  assert.equal(await poster.getByLabel("title").inputValue(), POST.title);
  const approve = poster.getByRole("button", { name: "Approve with changes" });
  const times = poster.locator(".field").filter({ has: page.getByLabel("times") });
  await poster.getByLabel("times").fill("many");
  await approve.click();
  await times.getByRole("alert").getByText("Invalid JSON").waitFor();
  assert.equal(await poster.getByLabel("times").getAttribute("aria-invalid"), "true");
  // The page shows a refusal by the service at the argument, too.
  await poster.getByLabel("times").fill('"many"');
  await approve.click();
  await times.getByRole("alert").getByText("number").waitFor();
  assert.equal(await poster.getByRole("alert").count(), 1);
  await poster.getByRole("button", { name: "Back" }).click();
  await poster.getByRole("button", { name: "Approve", exact: true }).waitFor();

  await reporter.getByRole("button", { name: "Edit arguments" }).click();
  await reporter.getByLabel("path").fill("other.md");
  await reporter.getByLabel("content").fill("Two\nlines\n");
  await reporter.getByRole("button", { name: "Show the change" }).click();
  const change = reporter.getByRole("region", { name: /^Change of other.md/ });
  await change.locator(".diff-line.added").filter({ hasText: "lines" }).waitFor();
  await assert.rejects(Deno.stat(join(world.workspace.workspace, "other.md")));
  await reporter.getByLabel("content").press("Control+Enter");
  await reporter.waitFor({ state: "detached" });
  const { workspace } = world.workspace;
  const execution = () => world.runtime().getExecution(id);
  await untilSeen(async () => (await execution()).status === "success", "it goes on");
  assert.equal(await Deno.readTextFile(join(workspace, "other.md")), "Two\nlines\n");
  await assert.rejects(Deno.stat(join(workspace, "report.md")));
  assert.match((await execution()).outputData ?? "", /changed|edited/);
  // The page of the execution shows what the person changed, and not the arguments line by line.
  await page.evaluate(`location.hash = "#/executions/${id}"`);
  const changes = page.getByRole("table", { name: /^Changed arguments / });
  await changes.getByRole("row", { name: /^path report.md\s+other.md$/ }).waitFor();
  const lines = changes.getByRole("region", { name: /^Change of content / });
  await lines.locator(".diff-line.added", { hasText: "lines" }).waitFor();
  assert.equal(await page.getByText("With other arguments").count(), 0);
  await expectNoFault(page, "the changed arguments", "main table");
}

async function approveAlways(world: DashboardWorld): Promise<void> {
  const [id] = await ask(world, "reporter");
  const file = join(world.workspace.agentsDir, "reporter.md");
  const before = await Deno.readTextFile(file);
  // The key of the whole service may not change files over TCP, so its page does not offer the change.
  const keyPage = await world.openPage(`#/executions/${id}`);
  const keyCard = keyPage.locator(".request");
  await keyCard.getByRole("button", { name: "Edit arguments" }).waitFor();
  await keyCard.getByRole("button", { name: /Always/ }).waitFor({ state: "detached" });
  const keyAgents = await world.openPage("#/agents");
  await keyAgents.getByRole("link", { name: "reporter" }).first().waitFor();
  await keyAgents.getByRole("link", { name: "New agent" }).waitFor({ state: "detached" });
  const page = await openAsAuthor(world, "anna", `#/executions/${id}`);
  const card = page.locator(".request");
  await card.getByRole("button", { name: "Always for this agent" }).click();
  const form = card.getByRole("group", { name: "Always approve" });
  await form.locator(".diff-line.added").filter({ hasText: "file_write" }).waitFor();
  await form.getByText(file).first().waitFor();
  assert.equal(await Deno.readTextFile(file), before);
  await form.getByRole("button", { name: "Back" }).click();
  assert.equal(await Deno.readTextFile(file), before);
  await card.getByRole("button", { name: "Always for this agent" }).click();
  await form.getByRole("button", { name: "Save and approve" }).click();
  await page.getByRole("heading", { name: "Ended: success" }).waitFor();
  assert.match(await Deno.readTextFile(file), /auto_approve:\s*(- |\[)file_write/);
  assert.equal((await runToEnd(world.runtime(), "reporter")).status, "success");
}

async function approveCommandAlways(world: DashboardWorld): Promise<void> {
  const [id] = await ask(world, "typist");
  const page = await openAsAuthor(world, "bob", `#/executions/${id}`);
  const card = page.locator(".request");
  await card.getByText(`printf '%s' 'a\\rb'`).first().waitFor();
  await card.getByText("and reach no host").or(card.getByText("own rights")).first().waitFor();
  await card.getByRole("button", { name: "Always for this agent" }).click();
  const form = card.getByRole("group", { name: "Always approve" });
  await form.getByText("with such commands").waitFor();
  await form.locator(".diff-line.added").filter({ hasText: "allow:" }).waitFor();
  await form.getByRole("button", { name: "Save and approve" }).click();
  await page.getByRole("heading", { name: "Ended: success" }).waitFor();
  const { agent } = await world.runtime().getAgent("typist");
  assert.equal(agent.shell?.allow.length, 1);
}

async function decideByKeys(world: DashboardWorld): Promise<void> {
  const agents = ["reporter", "remover", "lost", "poster"] as const;
  const [id = 0, , lostId = 0] = await ask(world, ...agents);
  const page = await world.openPage("#/");
  const [reporter, remover, lost, poster] = cardsOf(page, agents);
  await poster.waitFor();
  const hasFocus = (name: string) =>
    untilSeen(
      async () =>
        String(
          await page.evaluate(
            "document.activeElement.closest('.request')?.querySelector('h3').textContent",
          ),
        ).includes(name),
      `the focus is in the card of ${name}`,
    );
  // The keyboard reaches the question from the start of the page with at most three presses of Tab.
  await page.reload();
  await poster.waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate("document.activeElement.textContent"), "Approve");
  await hasFocus("reporter");

  // Shortcut keys do nothing in a text field.
  await reporter.getByRole("textbox", { name: "Reason (optional)" }).focus();
  await page.keyboard.type("yes, any news?");
  assert.equal(
    await reporter.getByRole("textbox", { name: "Reason (optional)" }).inputValue(),
    "yes, any news?",
  );
  await page.locator("main").focus();
  await page.keyboard.press("y");
  await page.keyboard.press("e");
  assert.equal(await page.locator(".request").count(), 4);
  await page.keyboard.press("j");
  await hasFocus("reporter");
  await page.keyboard.press("j");
  await hasFocus("remover");
  await page.keyboard.press("k");
  await hasFocus("reporter");
  await page.keyboard.press("j");
  await hasFocus("remover");
  await page.keyboard.press("d");
  await remover.waitFor({ state: "detached" });
  await hasFocus("lost");
  assert.match(page.url(), /#\/$/);
  await Deno.stat(join(world.workspace.workspace, "list.md"));
  // One press of y approves no deletion, and another key between two presses starts again.
  await page.keyboard.press("y");
  await page.getByText("Press y again to approve file_delete.").waitFor();
  await page.keyboard.press("k");
  await lost.focus();
  await page.keyboard.press("y");
  assert.equal((await world.runtime().getExecution(lostId)).status, "waiting");
  await page.keyboard.press("y");
  await lost.waitFor({ state: "detached" });
  await hasFocus("poster");
  await page.keyboard.press("e");
  await poster.getByLabel("title").waitFor();
  assert.equal(await page.evaluate("document.activeElement.tagName"), "TEXTAREA");
  await page.keyboard.press("Escape");
  await poster.getByRole("button", { name: "Edit arguments" }).waitFor();
  await hasFocus("poster");

  // On other views, `n` opens the approvals and focuses the next question.
  await page.evaluate('location.hash = "#/usage"');
  await page.getByRole("heading", { name: "Usage", exact: true }).waitFor();
  // A view without a search opens the palette instead.
  await page.keyboard.press("/");
  await page.getByRole("combobox", { name: "Agent, view or action" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("n");
  await reporter.waitFor();
  // The user can turn off the shortcuts.
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).getByLabel("Use these keys").uncheck();
  await page.keyboard.press("Escape");
  await reporter.focus();
  await page.keyboard.press("y");
  await page.keyboard.press("d");
  await page.keyboard.press("e");
  await page.keyboard.press("u");
  assert.match(page.url(), /#\/$/);
  assert.equal(await reporter.getByRole("button", { name: "Approve", exact: true }).count(), 1);
  assert.equal((await world.runtime().getExecution(id)).status, "waiting");
}

testInDashboard("dashboard: approvals", { prepare }, [
  ["a card shows a file change as a diff, and other arguments as a table", readCards],
  ["arguments are edited before the approval, and an error is shown at its field", editArguments],
  ["keys decide the focused card, and do nothing in a text field", decideByKeys],
  [
    "always: shows and writes the change of the agent's file, and approves the call, if the key may change files",
    approveAlways,
  ],
  ["always: a command adds only such commands to the agent's file", approveCommandAlways],
]);
