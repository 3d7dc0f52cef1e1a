// Generates random agents, the mix. They use tools, retries, questions with answers, delegation, skills, custom tools and
// MCP servers, and some of their calls fail.
import { join } from "node:path";
import { programEntry } from "../../tests/runtime/tools/mcp/mcp_world.ts";
import { denoDirectory } from "../../tests/support/repository.ts";
import { createTestWorkspace, type TestWorkspace } from "../../tests/support/test_workspace.ts";
import type { OpenAiServer } from "../../tests/support/models/openai_server.ts";
import { openBusyModel } from "./busy_model.ts";

export type Draw = () => number;

/** A workspace for the random agents, with a model that is often overloaded. */
export interface Mix extends AsyncDisposable {
  place: TestWorkspace;
  busy: OpenAiServer;
  /** The path of the file to which each unsafe call appends a unique line. */
  witness: string;
}

const SKILLS = ["tidy", "count", "sum"];
const HELPERS = ["asks", "quick", "fails", "notes"];

/** Creates a workspace with the skills, tools, servers and agents that the random agents use. */
export async function createMix(): Promise<Mix> {
  const place = await createTestWorkspace({
    shell: {
      PATH: Deno.env.get("PATH") ?? "",
      DENO_DIR: denoDirectory(),
      MINE_API_KEY: "sk-mix",
    },
  });
  const folder = join(place.agentsDir, "_config");
  await Deno.mkdir(join(folder, "tools"), { recursive: true });
  await Deno.writeTextFile(
    join(folder, "mcp-servers.json"),
    JSON.stringify({ fixture: programEntry() }),
  );
  await Deno.writeTextFile(
    join(folder, "tools", "add.ts"),
    "export default { name: 'add', description: 'Adds.', parameters: { type: 'object', properties: " +
      "{ a: { type: 'number' }, b: { type: 'number', default: 1 } }, required: ['a'] }, " +
      "run: ({ a, b }) => { if (a < 0) throw new Error('negative'); return String(a + b); } };\n",
  );
  const witness = join(place.workspace, "witness");
  await Deno.mkdir(witness);
  await Deno.writeTextFile(
    join(folder, "tools", "note.ts"),
    "export default { name: 'note', description: 'Notes a line.', effect: 'unsafe', parameters: " +
      "{ type: 'object', properties: { line: { type: 'string' } }, required: ['line'] }, " +
      "async run({ line }, context) { const path = await context.resolvePath('witness/lines.txt'); " +
      "await Deno.writeTextFile(path, line + '\\n', { append: true }); return 'noted'; } };\n",
  );
  for (const name of SKILLS) {
    await Deno.mkdir(join(folder, "skills", name), { recursive: true });
    const text = `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo ${name} of $ARGUMENTS.\n`;
    await Deno.writeTextFile(join(folder, "skills", name, "SKILL.md"), text);
  }
  await Deno.writeTextFile(join(place.workspace, "notes.md"), "# Notes\n\nOne.\n");
  const guarded = [
    { call: [{ name: "file_write", arguments: { path: "asked.md", content: "x" } }] },
    { say: "Asked." },
  ];
  await place.writeScript("asks", guarded, "confirm: [file_write]");
  await place.writeScript("quick", [{ say: "Quick." }]);
  await place.writeScript("fails", [{ say: "Half", fail: "broken" }]);
  await place.writeScript(
    "notes",
    [{ call: [{ name: "note", arguments: { line: "$0" } }] }, { say: "Noted." }],
    'custom_tools: [note]\nauto_approve: "*"',
  );
  const busy = openBusyModel();
  return {
    place,
    busy,
    witness: join(witness, "lines.txt"),
    async [Symbol.asyncDispose]() {
      await busy[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Writes one random agent. `customShare` is the fraction of agents with custom tools. */
export async function writeAgent(
  { place, busy }: Mix,
  id: string,
  { draw, customShare }: { draw: Draw; customShare: number },
): Promise<void> {
  if (draw() < 0.05) return await writeBusy(place, id, busy);
  const one = <T>(list: readonly T[]): T => list[Math.floor(draw() * list.length)] as T;
  const some = <T>(list: readonly T[]) => list.filter(() => draw() < 0.5);
  const skills = draw() < 0.3 ? some(SKILLS) : [];
  const agents = draw() < 0.3 ? some(HELPERS) : [];
  const hasMcp = draw() < 0.1;
  const hasCustom = draw() < customShare;
  let lines = 0;
  const line = () => `${id} ${++lines}`;
  const calls: (() => [string, unknown])[] = [
    () => ["file_read", { path: one(["notes.md", "none.md", "../out.md"]) }],
    () => ["file_write", { path: `${id}.md`, content: `Line ${Math.floor(draw() * 9)}` }],
    () => ["file_glob", { pattern: one(["*.md", "**"]) }],
    () => ["file_edit", { path: "notes.md", old_text: "One.", new_text: "One." }],
    () => ["memory_save", { section: one(["Facts", 'A "quoted" one']), content: "x" }],
    () => ["memory_append", { section: "Facts", content: line() }],
    () => ["memory_retrieve", {}],
    () => ["ask_user", one([{ question: "Well?" }, { question: "Which?", options: ["a", "b"] }])],
    () => ["unknown_tool", {}],
    () => ["file_read", one([{ wrong: true }, "{broken", null])],
    ...skills.map(
      (name) => (): [string, unknown] => ["skill_use", { skill_name: name, arguments: "it" }],
    ),
    ...agents.map((name) => (): [string, unknown] => [
      "run_agent",
      { agent_id: name, arguments: [line()] },
    ]),
    ...(hasMcp ? [(): [string, unknown] => one([["echo", { text: "hi" }], ["fail", {}]])] : []),
    ...(hasCustom
      ? [
        (): [string, unknown] => ["add", { a: one([1, -1, 5]) }],
        (): [string, unknown] => ["note", { line: line() }],
        (): [string, unknown] => ["note", { line: line() }],
      ]
      : []),
  ];
  const steps: unknown[] = Array.from({ length: Math.floor(draw() * 6) }, () => ({
    ...(draw() < 0.5 && { say: `I do this ${Math.floor(draw() * 99)}.` }),
    call: Array.from({ length: 1 + Math.floor(draw() * 3) }, () => one(calls)())
      .map(([name, args]) => ({ name, arguments: args ?? {} })),
    ...(draw() < 0.3 && { usage: { input: 10, output: 2 } }),
    ...(draw() < 0.3 && { cost_usd: Math.round(draw() * 1_000) / 10_000 }),
  }));
  steps.push(one([
    { say: "Done." },
    { say: "Done." },
    { say: "Done {result}" },
    { say: "" },
    { say: "Half", fail: "broken off" },
    { say: "Try", fail: "busy", retryable: true },
    { say: "Long", stop: "length" },
    { say: "No.", stop: "refusal" },
    { say: "Late", delay_ms: 600_000 },
  ]));
  await place.writeScript(
    id,
    steps,
    [
      `history: ${one(["low", "off", "medium"])}`,
      `on_restart: ${one(["resume", "resume", "orphan"])}`,
      `settings: { timeout: 60, max_tool_calls: ${one([3, 20, 50])} }`,
      ...(skills.length > 0 ? [`skills: [${skills.join(", ")}]`] : []),
      ...(agents.length > 0 ? [`agents: [${agents.join(", ")}]`] : []),
      ...(hasMcp ? ["mcp: [fixture]"] : []),
      ...(hasCustom ? ["custom_tools: [add, note]"] : []),
      ...(draw() < 0.3 ? ["confirm: [file_write, file_read]"] : ['auto_approve: "*"']),
    ].join("\n"),
  );
}

/** Writes an agent whose model refuses every other request as overloaded. */
async function writeBusy(place: TestWorkspace, id: string, busy: OpenAiServer): Promise<void> {
  const model = `model: { provider: mine, name: ${id}, base_url: "${busy.url}" }`;
  await place.writeAgent(id, `---\n${model}\non_restart: resume\n---\nLook at the files.\n`);
}
