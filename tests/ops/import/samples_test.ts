// Tests the import with samples in the shapes of other tools' files: the agents that run at once, and the parts that an
// import reports.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { SystemClock } from "../../../base/clock.ts";
import { AgentImporter } from "../../../ops/import/agent_importer.ts";
import type { PlannedAgent } from "../../../ops/import/import_plan.ts";
import { readMarkdown } from "../../../ops/import/reading/front_matter.ts";
import type { Loss } from "../../../ops/import/reading/shape.ts";
import { readToolSpec, splitTools } from "../../../ops/import/reading/tool_names.ts";
import { createTestWorkspace, runToEnd } from "../../support/test_workspace.ts";

const SAMPLES = join(import.meta.dirname ?? "", "samples");

/** The samples of each tool: their number, and the number of those whose agents all run without a change by hand. */
const SHARES: Readonly<Record<string, readonly [all: number, running: number]>> = {
  claude_commands: [14, 14],
  claude_subagents: [18, 18],
  codex: [6, 6],
  copilot: [16, 16],
  crontab: [10, 10],
  // Two rules are instructions for every task.
  cursor: [8, 6],
  gemini: [8, 8],
  github_workflows: [14, 14],
  goose: [12, 12],
  opencode: [14, 14],
};

/** The fields that an import need not report, because nothing of them is lost. */
const SILENT =
  /^(name|description|tools|allowed-tools|disallowedTools|argument-hint|model|version|author|tags|category|license|metadata|background|disable-model-invocation|user-invocable|context|skills|mcpServers|title|prompt|instructions|mode|target|infer|mcp-servers|alwaysApply|runs-on|strict|source|sandbox|subtask)$/;

/** The message of each run. The scripted model repeats it, and it fits the schema of the sample with a schema. */
const ANSWER = '{"tasks": []}';

interface Sample {
  path: string;
  text: string;
}

/** Returns the samples of a tool. A line `=== path` begins each. */
function samplesOf(tool: string): Sample[] {
  const text = Deno.readTextFileSync(join(SAMPLES, `${tool}.txt`));
  return text.split(/^=== /m).slice(1).map((part) => {
    const [path = "", ...lines] = part.split("\n");
    const content = lines.join("\n");
    if (path.includes("crlf")) return { path, text: content.replaceAll("\n", "\r\n") };
    return { path, text: path.includes("bom") ? `\uFEFF${content}` : content };
  });
}

/** The result of importing one sample. */
interface Imported {
  sample: Sample;
  agents: readonly PlannedAgent[];
  left: readonly Loss[];
  /** The reasons why an agent does not run at once. */
  problems: string[];
}

/** The number of agents of each tool that run. Further ones run only if their answer has a schema. */
const RUNS = 3;

/** Imports each sample without any permission, validates the agents, and runs some of them with a scripted model. */
async function importAll(samples: readonly Sample[]): Promise<Imported[]> {
  await using place = await createTestWorkspace();
  await place.configure("defaults: { provider: demo, model: echo }\n");
  const settings = await place.settings();
  const importer = new AgentImporter({ settings, clock: new SystemClock(), cwd: place.root });
  const repository = join(place.root, "repository");
  for (const { path, text } of samples) {
    await Deno.mkdir(dirname(join(repository, path)), { recursive: true });
    await Deno.writeTextFile(join(repository, path), text);
  }
  const results: Imported[] = [];
  const { signal } = new AbortController();
  // A crontab is one file. The other tools keep their files in folders of a repository.
  const crontabs = samples.filter(({ path }) => !path.includes("/") && !path.endsWith(".json"));
  for (const source of crontabs.length > 0 ? crontabs : [undefined]) {
    await using opened = await importer.open(join(repository, source?.path ?? ""), { signal });
    const plan = opened.plan(opened.files, {});
    const written = await opened.write(plan, []);
    for (const sample of source === undefined ? samples : [source]) {
      const agents = plan.agents.filter(({ path }) => path === sample.path);
      const problems = written.filter(({ id }) => agents.some((one) => one.id === id))
        .flatMap(({ id, problems }) =>
          problems.filter(({ severity }) => severity === "error")
            .map(({ line, message }) => `${id}:${line}: ${message}`)
        );
      results.push({ sample, agents, left: opened.left, problems });
    }
    const past = new Date(Date.now() - 1_000);
    for (const { path } of written) await Deno.utime(path, past, past);
  }
  await using runtime = await place.open();
  const ready = results.flatMap(({ agents, problems }) =>
    agents.map((agent) => ({ ...agent, problems }))
  );
  const chosen = ready.filter(({ settings: { output } }, index) =>
    index < RUNS || output !== undefined
  );
  for (const { id, problems } of chosen) {
    const { status, error } = await runToEnd(runtime, id, { message: ANSWER });
    if (status !== "success") problems.push(`${id}: ${error}`);
  }
  return results;
}

/** Returns the parts of a sample that the import changes or loses without reporting it. */
function unreported({ sample, agents, left }: Imported): string[] {
  const told = JSON.stringify([agents, left]);
  const { fields = {} } = readMarkdown(sample.text);
  const keys = Object.keys(fields).filter((key) => !SILENT.test(key) && !told.includes(key));
  const { tools } = fields;
  const names = Array.isArray(tools) ? tools : typeof tools === "string" ? splitTools(tools) : [];
  const missing = names.filter((name) => typeof name === "string")
    .filter((name) => {
      const spec = readToolSpec(name);
      if (spec.kind === "server") return !told.includes(spec.entry.split("/")[0] ?? "");
      return spec.kind === "unknown" && !told.includes(name);
    });
  const placeholders = [
    ...sample.text.matchAll(/!`[^`]+`|!\{[^}]+\}|\$\{\{[^}]+\}\}|\{file:[^}]+\}/g),
  ]
    .map(([match]) => match.slice(2, 12)).filter((part) => !told.includes(part));
  // Named arguments of Codex.
  if (sample.path.startsWith(".codex")) {
    const names = sample.text.matchAll(/\$(?!ARGUMENTS\b)[A-Z]{2,}/g).map(([match]) => match);
    placeholders.push(
      ...names.filter((name) =>
        !JSON.stringify(agents.map(({ changes, losses }) => [changes, losses])).includes(name)
      ),
    );
  }
  return [...keys, ...missing, ...placeholders];
}

Deno.test("the samples of every tool have an expected share", () => {
  const tools = [...Deno.readDirSync(SAMPLES)].map(({ name }) => name.replace(/\.txt$/, "")).sort();
  assert.deepEqual(tools, Object.keys(SHARES));
  for (const [tool, [all]] of Object.entries(SHARES)) {
    assert.equal(samplesOf(tool).length, all, tool);
  }
});

for (const [tool, [all, running]] of Object.entries(SHARES)) {
  Deno.test(`import of ${all} samples (${tool}): ${running} run at once, and every loss is reported`, async () => {
    const results = await importAll(samplesOf(tool));
    const failed = results.filter(({ agents, problems }) =>
      agents.length === 0 || problems.length > 0
    );
    const reasons = failed.map(({ sample, problems, left }) =>
      [sample.path, ...problems, ...left.map(({ what, why }) => `${what}: ${why}`)].join("; ")
    );
    assert.equal(results.length - failed.length, running, reasons.join("\n"));
    // A sample that becomes no agent has a reason.
    assert.deepEqual(
      failed.filter(({ left, problems }) => left.length + problems.length === 0),
      [],
    );
    const silent = results.flatMap((one) =>
      unreported(one).map((part) => `${one.sample.path}: ${part}`)
    );
    assert.deepEqual(silent, []);
    for (const { agents } of results) {
      for (const { settings } of agents) {
        for (const given of ["shell", "auto_approve", "mcp"]) assert.ok(!(given in settings));
      }
    }
  });
}
