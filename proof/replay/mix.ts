// A generated mix of agents and what is done to their runs: tools, failures, retries, pauses with answers, delegation, skills,
// custom tools, MCP servers, cancels and restarts.
import { join } from "node:path";
import type { HumanAnswer } from "../../runtime/executions/human_request.ts";
import { isFinal } from "../../runtime/executions/states.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { programEntry } from "../../tests/runtime/tools/mcp/mcp_world.ts";
import { createTestWorkspace, type TestWorkspace } from "../../tests/support/test_workspace.ts";
import { HurriedClock } from "./hurried_clock.ts";

type Draw = () => number;

const SKILLS = ["tidy", "count", "sum"];
const HELPERS = ["asks", "quick", "fails"];
/** So many runs are under way at once. */
const AT_ONCE = 4;

/** A workspace with its surroundings; runs are recorded in it. */
export async function createMix(): Promise<TestWorkspace> {
  const place = await createTestWorkspace({ shell: { PATH: Deno.env.get("PATH") ?? "" } });
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
  return place;
}

/** Records so many runs, each of an agent of its own; returns their ids. `starts`: the service is stopped in between. */
export async function recordMix(
  place: TestWorkspace,
  { runs, starts, draw }: { runs: number; starts: number; draw: Draw },
): Promise<number[]> {
  const ids: number[] = [];
  for (let start = 0; start < starts; start++) {
    const end = Math.floor(runs * (start + 1) / starts);
    const agents: string[] = [];
    for (let n = ids.length; n < end; n++) {
      await writeAgent(place, `agent_${n}`, draw);
      agents.push(`agent_${n}`);
    }
    await using runtime = await place.open({ clock: new HurriedClock() });
    const open = new Set<number>();
    for (const agent of agents) {
      const { id } = await runtime.run(agent, toRequest(draw));
      ids.push(id);
      open.add(id);
      while (open.size >= AT_ONCE) await lookAt(runtime, open, draw);
    }
    // The rest is left to the next start, or, behind the last, brought to its end.
    if (start === starts - 1) {
      const rest = new Set(ids);
      while (rest.size > 0) await lookAt(runtime, rest, draw);
    }
  }
  return ids;
}

function toRequest(draw: Draw): Parameters<Runtime["run"]>[1] {
  return {
    ...(draw() < 0.3 && { message: `Turn ${Math.floor(draw() * 100)}` }),
    ...(draw() < 0.2 && { context: "Some context" }),
    ...(draw() < 0.2 && { args: ["one", "two"] }),
  };
}

/** Answers what is asked, cancels now and then, forgets what has ended. */
async function lookAt(runtime: Runtime, open: Set<number>, draw: Draw): Promise<void> {
  for (const id of open) {
    const { status } = await runtime.getExecution(id);
    if (isFinal(status)) open.delete(id);
    else if (draw() < 0.02) await runtime.cancel(id);
    else if (status === "waiting") await answer(runtime, id, draw).catch(() => {});
  }
  await new Promise((resolve) => setTimeout(resolve, 2));
}

async function answer(runtime: Runtime, id: number, draw: Draw): Promise<void> {
  const { requestId, kind, options } = await runtime.pendingRequest(id);
  const chosen = options?.[Math.floor(draw() * options.length)];
  const given: HumanAnswer = kind === "input"
    ? { text: `Answer ${Math.floor(draw() * 9)}` }
    : kind === "choice"
    ? { selected: [chosen ?? ""] }
    : { approved: draw() < 0.7, ...(draw() < 0.5 && { reason: "Because" }) };
  await runtime.respond(id, { requestId, answer: given });
}

async function writeAgent(place: TestWorkspace, id: string, draw: Draw): Promise<void> {
  const one = <T>(list: readonly T[]): T => list[Math.floor(draw() * list.length)] as T;
  const some = <T>(list: readonly T[]) => list.filter(() => draw() < 0.5);
  const skills = draw() < 0.3 ? some(SKILLS) : [];
  const agents = draw() < 0.3 ? some(HELPERS) : [];
  const hasMcp = draw() < 0.1;
  const hasCustom = draw() < 0.1;
  const calls: (() => [string, unknown])[] = [
    () => ["file_read", { path: one(["notes.md", "none.md", "../out.md"]) }],
    () => ["file_write", { path: `${id}.md`, content: `Line ${Math.floor(draw() * 9)}` }],
    () => ["file_glob", { pattern: one(["*.md", "**"]) }],
    () => ["file_edit", { path: "notes.md", old_text: "One.", new_text: "One." }],
    () => ["memory_save", { section: one(["Facts", 'A "quoted" one']), content: "x" }],
    () => ["memory_append", { section: "Facts", content: "y" }],
    () => ["memory_retrieve", {}],
    () => ["ask_user", one([{ question: "Well?" }, { question: "Which?", options: ["a", "b"] }])],
    () => ["unknown_tool", {}],
    () => ["file_read", one([{ wrong: true }, "{broken", null])],
    ...skills.map(
      (name) => (): [string, unknown] => ["skill_use", { skill_name: name, arguments: "it" }],
    ),
    ...agents.map((name) => (): [string, unknown] => ["run_agent", { agent_id: name }]),
    ...(hasMcp ? [(): [string, unknown] => one([["echo", { text: "hi" }], ["fail", {}]])] : []),
    ...(hasCustom ? [(): [string, unknown] => ["add", { a: one([1, -1, 5]) }]] : []),
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
      ...(hasCustom ? ["custom_tools: [add]"] : []),
      ...(draw() < 0.3 ? ["confirm: [file_write, file_read]"] : ['auto_approve: "*"']),
    ].join("\n"),
  );
}
