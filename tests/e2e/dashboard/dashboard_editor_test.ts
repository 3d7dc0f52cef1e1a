// Tests of the editor in a browser: writing, checking, saving and trying agents, and two people at one file.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { runToEnd } from "../../support/test_workspace.ts";
import { expectNoFault } from "../../support/machine/expect_no_fault.ts";
import {
  type DashboardWorld,
  testInDashboard,
  untilSeen,
  type WorldSetUp,
} from "./dashboard_world.ts";

const MODEL = "model: { provider: demo, name: echo }\n";

const SET_UP: WorldSetUp = {
  async prepare(workspace) {
    const config = join(workspace.configDir, "config.yaml");
    await Deno.writeTextFile(
      config,
      `${await Deno.readTextFile(config)}service: { edit: true }\n`,
    );
    await workspace.writeScript("writer", [{ say: "Saved answer." }], "description: Writes");
    await workspace.writeScript("other", [{ say: "Hello." }]);
    await workspace.writeAgent("broken", `---\ntrigger: { type: sometimes }\n${MODEL}---\nWork.\n`);
  },
};

const textOf = (page: Page) => page.getByRole("textbox", { name: /^Text of / });
const fileOf = ({ workspace }: DashboardWorld, id: string) =>
  Deno.readTextFile(join(workspace.agentsDir, `${id}.md`));

/** Opens an editor and waits until its text is shown. */
async function openEditor({ openPage }: DashboardWorld, hash: string): Promise<Page> {
  const page = await openPage(hash);
  await textOf(page).waitFor();
  return page;
}

/** Writes a line at the beginning of the file's second line. */
async function writeLine(page: Page, line: string): Promise<void> {
  await textOf(page).click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.insertText(`${line}\n`);
}

async function save(page: Page, name = /^Save/): Promise<void> {
  await page.keyboard.press("Control+s");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name }).click();
  await dialog.waitFor({ state: "detached" });
}

async function writeAndSave(world: DashboardWorld): Promise<void> {
  const page = await world.openPage("#/agents/writer");
  await page.getByRole("link", { name: "Edit" }).click();
  await textOf(page).waitFor();
  const before = await fileOf(world, "writer");
  await writeLine(page, "history: off");
  await page.getByText("Not saved.").waitFor();
  await page.keyboard.press("Control+s");
  const dialog = page.getByRole("dialog", { name: "Save writer" });
  await dialog.getByText("history: off").waitFor();
  assert.equal(await fileOf(world, "writer"), before);
  await expectNoFault(page, "the diff before the save", "dialog");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(await fileOf(world, "writer"), before.replace("---\n", "---\nhistory: off\n"));
  await page.getByText("Not saved.").waitFor({ state: "detached" });
  await expectNoFault(page, "the editor");
  // The tab key leaves the editor, and letters are no shortcuts.
  await textOf(page).click();
  await page.keyboard.type("n");
  assert.match(page.url(), /#\/edit\/agent\/writer$/);
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Tab");
  assert.ok(await page.evaluate("!document.activeElement?.matches('[data-editor]')"));
}

async function checksAsOneTypes(world: DashboardWorld): Promise<void> {
  const page = await openEditor(world, "#/edit/agent/other");
  await writeLine(page, "triger: {}");
  await page.getByRole("button", { name: /^Line 2: .*triger/ }).waitFor();
  await page.keyboard.press("Control+z");
  await page.getByText("No problems.").waitFor();
  await writeLine(page, "trigger: { type: ");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Control+Space");
  await page.getByRole("option", { name: "schedule" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+z");
}

async function repairsBroken(world: DashboardWorld): Promise<void> {
  const page = await world.openPage("#/agents/broken");
  await page.getByText(/Line 2: .*sometimes/).waitFor();
  await page.getByRole("link", { name: "Edit broken" }).click();
  await textOf(page).waitFor();
  await page.getByRole("button", { name: /^Line 2/ }).click();
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+End");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText("description: Repaired");
  await page.getByText("No problems.").waitFor();
  await save(page);
  assert.equal(await fileOf(world, "broken"), `---\ndescription: Repaired\n${MODEL}---\nWork.\n`);
  await untilSeen(
    async () => (await world.runtime().listAgents()).some(({ agent }) => agent.id === "broken"),
    "the repaired agent is loaded",
  );
}

async function tellsConflicts(world: DashboardWorld): Promise<void> {
  const page = await openEditor(world, "#/edit/agent/other");
  const change = async (line: string) => {
    const text = await fileOf(world, "other");
    const path = join(world.workspace.agentsDir, "other.md");
    await Deno.writeTextFile(path, text.replace("---\n", `---\n${line}\n`));
  };
  await writeLine(page, "# This person.");
  await change("# Another person.");
  const conflict = page.getByRole("alert", { name: "Changed meanwhile" });
  await conflict.getByText("# This person.").waitFor();
  await conflict.getByText("# Another person.").waitFor();
  await expectNoFault(page, "the conflict", "[role=alert]");
  await conflict.getByRole("button", { name: "Continue with my text" }).click();
  await textOf(page).click();
  await save(page);
  assert.match(await fileOf(world, "other"), /^---\n# This person\.\nmodel/);
  // Without unsaved text, the editor shows the new file.
  await change("# A third person.");
  await textOf(page).getByText("# A third person.").waitFor();
}

async function makesNew(world: DashboardWorld): Promise<void> {
  const page = await openEditor(world, "#/edit/new?copy=writer");
  await expectNoFault(page, "a new agent", ".field");
  await page.getByRole("textbox", { name: "Name" }).fill("other");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.getByText(/"other" exists already/).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("textbox", { name: "Name" }).fill("second");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/#\/edit\/agent\/second$/);
  await page.getByRole("button", { name: "Switch off" }).click();
  await page.getByRole("button", { name: "Switch on" }).waitFor();
  assert.match(await fileOf(world, "second"), /^---\nenabled: false\n/);
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "New name" }).fill("third");
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await page.getByRole("dialog").getByText(/that name "second" are not changed/).waitFor();
  await page.getByRole("button", { name: "Open third" }).click();
  await page.waitForURL(/#\/edit\/agent\/third$/);
}

async function takesBack(world: DashboardWorld): Promise<void> {
  const before = await fileOf(world, "other");
  const page = await openEditor(world, "#/edit/agent/other");
  await writeLine(page, "history: off");
  await save(page);
  await page.evaluate('location.hash = "#/agents/other"');
  await page.getByText(/^Changed last on the page /).waitFor();
  await page.getByRole("button", { name: "Take it back" }).click();
  const dialog = page.getByRole("dialog", { name: "Take back the last change of other" });
  await dialog.locator(".diff-line.removed", { hasText: "history: off" }).waitFor();
  await expectNoFault(page, "taking a change back", "dialog");
  // Another person changes the file before the button is pressed.
  const path = join(world.workspace.agentsDir, "other.md");
  await Deno.writeTextFile(path, `${before}\nAnother person.\n`);
  await dialog.getByRole("button", { name: "Take it back" }).click();
  await dialog.getByText(/was changed meanwhile/).waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("Another person.").waitFor();
  await page.getByText(/^Changed last on the disk /).waitFor();
  await page.getByRole("button", { name: "Take it back" }).click();
  await dialog.locator(".diff-line.removed", { hasText: "Another person." }).waitFor();
  await dialog.getByRole("button", { name: "Take it back" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(
    await fileOf(world, "other"),
    before.replace(/^---\n/, "---\nhistory: off\n"),
  );
}

async function seesAudit(world: DashboardWorld): Promise<void> {
  const { id } = await runToEnd(world.runtime(), "other", { by: { via: "chat", name: "ada" } });
  const page = await world.openPage("#/agents/other");
  await page.getByRole("link", { name: "All changes" }).click();
  const table = page.getByRole("table", { name: "Changes" });
  await table.getByRole("row", { name: /^changed a file: .*other\.md .* on the page/ }).first()
    .waitFor();
  await page.getByRole("link", { name: "Clear" }).click();
  const start = table.getByRole("row", {
    name: new RegExp(`^started a run: other, execution ${id} .* ada in a chat app$`),
  });
  await start.waitFor();
  await page.getByLabel("Change", { exact: true }).selectOption({ label: "started a run" });
  await page.getByLabel("Who").fill("ada");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/audit\?action=start&name=ada$/);
  await untilSeen(async () => await table.getByRole("row").count() === 2, "one record");
  // While a filter is loading, the records of the filter before are shown in a faded color.
  await page.locator("table:not([aria-busy=true])").waitFor();
  await expectNoFault(page, "the audit", "main");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download JSON lines" }).click(),
  ]);
  assert.equal(file.suggestedFilename(), "audit.jsonl");
  const lines = (await Deno.readTextFile(await file.path())).trimEnd().split("\n");
  assert.deepEqual(lines.map((line) => JSON.parse(line).execution_id), [id]);
  await start.getByRole("link").click();
  await page.waitForURL(new RegExp(`#/executions/${id}$`));
}

async function triesText(world: DashboardWorld): Promise<void> {
  const page = await openEditor(world, "#/edit/agent/writer");
  const before = await fileOf(world, "writer");
  await textOf(page).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(before.replace("Saved answer.", "Unsaved answer."));
  const panel = page.getByRole("region", { name: "Try" });
  await panel.getByRole("checkbox").uncheck();
  await panel.getByRole("button", { name: "Try", exact: true }).click();
  await panel.getByText("Unsaved answer.").waitFor();
  await expectNoFault(page, "a trial", ".try");
  assert.equal(await fileOf(world, "writer"), before);
}

async function triesNewText(world: DashboardWorld): Promise<void> {
  const page = await openEditor(world, "#/edit/new");
  await textOf(page).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText((await fileOf(world, "writer")).replace("Saved", "Never saved"));
  const panel = page.getByRole("region", { name: "Try" });
  const name = page.getByRole("textbox", { name: "Name" });
  await name.fill("writer");
  await panel.getByText(/"writer" exists already/).waitFor();
  await name.fill("fresh");
  await panel.getByRole("checkbox").uncheck();
  await panel.getByRole("button", { name: "Try", exact: true }).click();
  await panel.getByText("Never saved answer.").waitFor();
  await assert.rejects(fileOf(world, "fresh"), Deno.errors.NotFound);
}

async function editsOtherFiles(world: DashboardWorld): Promise<void> {
  const page = await world.openPage("#/files");
  await page.getByText("OPENAI_API_KEY").waitFor();
  await expectNoFault(page, "the files", "main");
  await page.getByRole("link", { name: "config.yaml" }).click();
  await textOf(page).waitFor();
  await textOf(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("defaults: { timeout: 42 }\n");
  await save(page);
  assert.equal(world.runtime().config.defaults.timeout, 42);
  await page.getByRole("link", { name: "Files" }).first().click();
  await page.getByRole("link", { name: "backup-check" }).click();
  await textOf(page).getByText(/Checks every morning/).waitFor();
}

testInDashboard("editor", SET_UP, [
  ["a person edits an agent, sees the change, and saves it", writeAndSave],
  ["problems are shown as one types, and the schema completes", checksAsOneTypes],
  ["an agent whose file has an error is repaired", repairsBroken],
  ["two people edit one agent, and nothing is lost", tellsConflicts],
  ["a new agent is copied, named, switched off and renamed", makesNew],
  ["a person takes the last change of a file back", takesBack],
  ["the audit is filtered and downloaded", seesAudit],
  ["the unsaved text is tried beside the editor", triesText],
  ["a new agent is tried before it is saved", triesNewText],
  ["config.yaml and the gallery are edited, too", editsOtherFiles],
]);
