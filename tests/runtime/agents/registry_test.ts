import assert from "node:assert/strict";
import { listAgentNames } from "../../../runtime/agents/agent_names.ts";
import { AgentRegistry } from "../../../runtime/agents/registry.ts";
import type { ResourceProblem } from "../../../runtime/agents/resource_problem.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { TestClock } from "../../support/test_clock.ts";
import { parseOptions } from "./parsed_file.ts";

/** Calls `body` with an `agents` folder, its registry and a function that writes files into the folder. */
function withAgents(
  body: (
    part: {
      registry: AgentRegistry;
      dir: string;
      /** The problems that the inspection of each agent's resources reports. */
      problems: ResourceProblem[];
      write: (name: string, text: string) => Promise<void>;
    },
  ) => Promise<void>,
): Promise<void> {
  return withTempDir(async (workspace) => {
    const dir = `${workspace}/agents`;
    await Deno.mkdir(dir);
    const directories = { workspace, agentsDir: dir };
    // On this clock, no file has changed within the last hour.
    const fileClock = new TestClock(Date.now() + 3_600_000);
    const problems: ResourceProblem[] = [];
    const inspect = () => Promise.resolve(problems);
    const registry = new AgentRegistry({ ...parseOptions(), directories, fileClock, inspect });
    await body({
      registry,
      dir,
      problems,
      write: (name, text) => Deno.writeTextFile(`${dir}/${name}`, text),
    });
  });
}

const ids = (registry: AgentRegistry) => registry.list().map((agent) => agent.id);

Deno.test("AgentRegistry reads no agent files in subfolders", () =>
  withAgents(async ({ registry, dir, write }) => {
    const others = ["a.memory.md", ".hidden.md", "README.md", "notes.txt"];
    for (const name of ["b.md", "a.md", "B.md", ...others]) await write(name, "Do it.");
    await Deno.mkdir(`${dir}/folder.md`);
    await Deno.mkdir(`${dir}/sub`);
    await write("sub/inner.md", "Do it.");
    await write("sub/linked.txt", "Linked.");
    await Deno.symlink(`${dir}/sub/linked.txt`, `${dir}/link.md`);
    await Deno.symlink(`${dir}/sub`, `${dir}/dirlink.md`);
    const report = await registry.load();
    assert.deepEqual(ids(registry), ["B", "a", "b", "link"]);
    assert.deepEqual(await listAgentNames(dir), ["B", "a", "b", "dirlink", "link"]);
    assert.equal(registry.get("link")?.body, "Linked.");
    const added = ["B", "a", "b", "link"];
    assert.deepEqual(report, { loaded: 4, added, updated: [], removed: [], errors: [] });
    assert.deepEqual(registry.broken().map(({ id }) => id), ["sub"]);
  }));

Deno.test("AgentRegistry adds the problems of an agent's resources to its warnings", () =>
  withAgents(async ({ registry, write, problems }) => {
    await write("a.md", "---\nskills: [writing]\n---\nDo it.");
    const message = "It is not there";
    problems.push({ field: "skills", name: "writing", severity: "warning", message });
    await registry.load();
    const warnings = registry.get("a")?.warnings ?? [];
    assert.deepEqual(warnings.map(({ line, message }) => [line, message]), [[2, message]]);
    assert.deepEqual(registry.broken(), []);
  }));

Deno.test("AgentRegistry keeps its agents while the agents directory is unreadable", () =>
  withAgents(async ({ registry, dir, write }) => {
    await write("a.md", "Do it.");
    await registry.load();
    await Deno.remove(dir, { recursive: true });
    const report = await registry.load();
    assert.deepEqual([report.loaded, report.removed, report.errors], [0, ["a"], []]);
    assert.deepEqual([registry.list(), await listAgentNames(dir)], [[], []]);

    await Deno.mkdir(dir);
    await write("a.md", "Do it.");
    await registry.load();
    await Deno.rename(dir, `${dir}-away`);
    await Deno.writeTextFile(dir, "a file");
    await assert.rejects(listAgentNames(dir), Deno.errors.NotADirectory);
    const unread = await registry.load();
    assert.deepEqual(ids(registry), ["a"]);
    assert.deepEqual([unread.loaded, unread.removed], [1, []]);
    const [error] = unread.errors;
    const expected = "The agents directory cannot be read: a file stands where a folder should";
    assert.equal(error?.message, expected);
    assert.deepEqual(registry.broken(), [{ id: "agents", path: dir, diagnostics: [error] }]);
    await Deno.remove(dir);
    await Deno.rename(`${dir}-away`, dir);
    await registry.load();
    assert.deepEqual(registry.broken(), []);
  }));

Deno.test("AgentRegistry reports added, updated and removed agents by their content", () =>
  withAgents(async ({ registry, dir, write }) => {
    for (const name of ["a.md", "b.md", "c.md"]) await write(name, "Do it.");
    await registry.load();
    await write("a.md", "Do that");
    await write("b.md", "Do it.");
    await Deno.remove(`${dir}/c.md`);
    await write("d.md", "Do it.");
    const expected = { loaded: 3, added: ["d"], updated: ["a"], removed: ["c"], errors: [] };
    assert.deepEqual(await registry.load(), expected);
    assert.equal(registry.get("a")?.body, "Do that");
    assert.equal(registry.get("c"), undefined);
    const { added, updated, removed } = await registry.load();
    assert.deepEqual([added, updated, removed], [[], [], []]);

    await write("e.md", "Do it.");
    const [first, second] = await Promise.all([registry.load(), registry.load()]);
    assert.deepEqual([first.added, second.added], [["e"], []]);
  }));

Deno.test("AgentRegistry keeps the last valid definition of a file that stops parsing or is emptied", () =>
  withAgents(async ({ registry, dir, write }) => {
    await write("a.md", "---\ntypo: 1\n---\nDo it.");
    await registry.load();
    await write("a.md", "---\nhistory: 7\nmore: x\n---\nOther.");
    const report = await registry.load();
    assert.deepEqual([report.loaded, report.updated, report.removed], [1, ["a"], []]);
    assert.equal(report.errors.length, 1);
    assert.deepEqual((await registry.load()).updated, []);
    assert.deepEqual(registry.broken(), []);
    const live = registry.get("a");
    assert.equal(live?.body, "Do it.");
    const expected = [["error", 2], ["warning", 2], ["warning", 3]];
    assert.deepEqual(live?.warnings.map((one) => [one.severity, one.line]), expected);
    await write("a.md", "---\ntypo: 1\n---\nDo it.");
    assert.deepEqual((await registry.load()).updated, ["a"]);
    assert.equal(registry.get("a")?.warnings.length, 1);
    for (const history of [7, 8]) {
      await write("a.md", `---\nhistory: ${history}\n---\nDo it.`);
      assert.deepEqual((await registry.load()).updated, ["a"], "its problems are other ones");
    }
    await Deno.remove(`${dir}/a.md`);
    assert.deepEqual((await registry.load()).removed, ["a"]);

    const text = "---\nhistory: high\n---\nDo it.";
    await write("a.md", text);
    await registry.load();
    const { agent, empty } = { agent: registry.get("a"), empty: ["", "\n", "---\n---\n"] };
    for (const nothing of empty) {
      await write("a.md", nothing);
      const emptied = await registry.load();
      assert.deepEqual([emptied.loaded, emptied.removed], [1, []]);
      assert.match(emptied.errors[0]?.message ?? "", /^The system prompt is empty$/);
      assert.deepEqual({ ...registry.get("a"), warnings: [] }, agent);
    }
    await write("a.md", text);
    assert.deepEqual((await registry.load()).updated, ["a"]);
    assert.equal(registry.get("a"), agent);

    await write("c.md", "---\nhistory: 7\n---\nDo it.");
    await registry.load();
    assert.equal(registry.broken().length, 1);
    await write("c.md", "---\nhistory: high\n---\nDo it.");
    assert.deepEqual((await registry.load()).added, ["c"]);
    assert.deepEqual(registry.broken(), []);
    await write("b.md", "---\nhistory: 7\n---\nDo it.");
    await registry.load();
    await Deno.remove(`${dir}/b.md`);
    assert.deepEqual((await registry.load()).removed, []);
  }));

const EVERY = "---\ntrigger: { type: schedule, every: 1h }\n---\n";

Deno.test("AgentRegistry does not enable a copy of an agent file beside its original", () =>
  withAgents(async ({ registry, dir, write }) => {
    const host = Deno.hostname().split(".")[0];
    const marked = ["report 2", "report copy", "report - Copy", `report-${host}`, "report-studio"];
    const texts = Object.fromEntries(marked.map((id) => [id, `${EVERY}Edited.`]));
    await Deno.mkdir(`${dir}/_config`);
    await Deno.writeTextFile(`${dir}/_config/triggers.lease`, '{ "host": "studio" }');
    const unmarked = {
      "report-weekly": `${EVERY}Another one.`,
      "report 3": `${EVERY.replace("1h", "2h")}Do it.`,
      "report copy 2": `${EVERY.replace("trigger", "enabled: true\ntrigger")}Do it.`,
      "reporter": `${EVERY}Do it.`,
      "asked": "Do it.",
      "asked 2": "Do it.",
    };
    const named = ["report (conflicted copy 2026-01-01)", "report.sync-conflict-20260101-1200-ABC"];
    const files = {
      report: `${EVERY}Do it.`,
      "report-equal": `${EVERY}Do it.`,
      ...texts,
      ...unmarked,
    };
    for (const [id, text] of Object.entries(files)) await write(`${id}.md`, text);
    for (const name of named) await write(`${name}.md`, `${EVERY}Do it.`);
    const report = await registry.load();
    const enabled = registry.list().filter((agent) => agent.enabled).map(({ id }) => id);
    assert.deepEqual(enabled.sort(), ["report", ...Object.keys(unmarked)].sort());
    for (const id of [...marked, "report-equal"]) {
      const [warning, ...more] = registry.get(id)?.warnings ?? [];
      assert.equal(warning?.message, "This is a copy of report.md and is not enabled", id);
      assert.deepEqual([more, registry.copyWarnings(`${dir}/${id}.md`)], [[], [warning]]);
    }
    assert.deepEqual(registry.broken().map(({ id }) => id), named);
    assert.ok(report.errors.every(({ severity }) => severity === "warning"));
    await Deno.remove(`${dir}/report.md`);
    await registry.load();
    assert.equal(registry.get("report-equal")?.enabled, true);
  }));
