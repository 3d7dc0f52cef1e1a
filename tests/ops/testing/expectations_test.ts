// Tests of each kind of expectation, with a run that meets it and a run that does not.
import assert from "node:assert/strict";
import { createTestedWorkspace, failed, isPassed } from "./tested_workspace.ts";

/** The front matter of an agent that waits for approval only before deletions. */
const FREE = "auto_approve: [file_write, file_edit, http_request, memory_save]";

const ANSWER = '{"items": [{"id": 7, "tags": ["a"]}]}';

/** A case in which the agent reads a file, writes two, fetches a page and answers with JSON. */
const RUN = `version: 1
files:
  notes.md: "Roses need water."
  old.md: "gone soon"
  kept.md: "as it is"
tools:
  http_request:
    - when: { url: "https://example.com/a" }
      result: "page a"
replies:
  - calls:
      - { tool: file_read, args: { path: notes.md } }
      - { tool: http_request, args: { method: GET, url: "https://example.com/a" } }
    cost_usd: 0.25
  - calls:
      - { tool: file_write, args: { path: out/report.md, content: "All is well.\\n" } }
      - { tool: file_edit, args: { path: notes.md, old_text: need, new_text: want } }
      - { tool: file_delete, args: { path: old.md }, answers: [{ approved: true }] }
    cost_usd: 0.25
  - text: '${ANSWER}'
    cost_usd: 0.25
`;

/** Every kind of expectation. RUN meets all of them. */
const EXPECTED = `expect:
  status: success
  output:
    equals: '${ANSWER}'
    contains: [items, tags]
    matches: '"id": \\d+'
    json: { "/items/0/id": 7, "/items/0": { tags: [a], id: 7 }, "/items/0/tags": [a] }
    schema: { type: object, required: [items] }
  judge: { question: Well?, answers: [yes, no, yes] }
  files:
    out/report.md: { equals: "All is well.\\n" }
    notes.md: { contains: want water, matches: ^Roses }
    old.md: { exists: false }
  tools_called: [file_read, { tool: http_request, args: { method: GET } }]
  tools_not_called: [file_move, { tool: file_read, args: { path: old.md } }]
  max_cost_usd: 0.75
  max_steps: 3
`;

/** Every kind of expectation. RUN meets none of them. */
const WRONG = `expect:
  status: aborted
  error: max_steps
  output:
    equals: other
    contains: [items, x]
    matches: '^id'
    json: { "/items/0/id": 8, "/items/1": 7 }
    schema: { properties: { items: { type: string } } }
  files:
    out/report.md: { equals: "All is bad.\\n" }
    notes.md: { contains: need water, matches: ^roses }
    old.md: {}
    kept.md: { exists: false }
  tools_called: [{ tool: http_request, args: { method: POST } }]
  tools_not_called: [{ tool: file_read, args: { path: notes.md } }]
  max_cost_usd: 0.5
  max_steps: 2
`;
const FAILED = [
  ...["status", "error", "output.equals", "output.contains", "output.matches"],
  ...['output.json "/items/0/id"', 'output.json "/items/1"', "output.schema"],
  ...['files "out/report.md".equals', 'files "notes.md".contains', 'files "notes.md".matches'],
  ...['files "old.md"', 'files "kept.md"', "tools_called", "tools_not_called"],
  ...["max_cost_usd", "max_steps"],
];

Deno.test("each kind of expectation passes, or fails with the expected and the actual value", async () => {
  await using world = await createTestedWorkspace();
  const held = await world.play(RUN + EXPECTED, FREE);
  assert.deepEqual([held.problems, held.failures, isPassed(held)], [[], [], true]);
  const { failures } = await world.play(`${RUN}expect:\n  tools_called: [ask_user]\n`, FREE);
  assert.deepEqual(failures.map(({ expected }) => expected), ["ask_user"]);
  assert.match(failures[0]?.got ?? "", /^file_read \{"path":"notes.md"\}\nhttp_request \{/);
  const broken = await world.play(RUN + WRONG, FREE);
  assert.deepEqual([broken.problems, failed(broken).sort()], [[], FAILED.toSorted()]);
  const denied = "judge: { question: Well?, answers: [yes, no, no] }";
  assert.deepEqual(failed(await world.play(`${RUN}expect:\n  ${denied}\n`, FREE)), [
    'judge "Well?"',
  ]);
});

Deno.test("unscripted calls, unknown tools and refused arguments fail the case", async () => {
  await using world = await createTestedWorkspace();
  const reply = (call: string) => `version: 1\nreplies:\n  - calls: [${call}]\n  - text: done\n`;
  const gapOf = async (call: string, lines?: string) => {
    const result = await world.play(reply(call), lines);
    assert.deepEqual(failed(result), ["the script"], call);
    return result.failures[0]?.got;
  };
  const url = 'args: { method: GET, url: "https://example.com/" }';
  assert.match(await gapOf(`{ tool: http_request, ${url} }`) ?? "", /^http_request is called/);
  assert.match(
    await gapOf("{ tool: forecast, args: { city: Bonn } }", "custom_tools: [forecast]") ?? "",
    /^forecast is called/,
  );
  assert.match(await gapOf("{ tool: search }", "mcp: [web]") ?? "", /^search is called/);
  const known = await world.play(
    reply("{ tool: forecast, args: { city: Bonn }, result: rain }"),
    "custom_tools: [forecast]",
  );
  assert.ok(isPassed(known));

  const calling = (call: string) =>
    `version: 1\nreplies:\n  - calls: [{ ${call} }]\n  - text: no such tool\n`;
  const scripted = await world.play(calling('tool: forecast, error: "Unknown tool"'));
  assert.deepEqual([scripted.problems, scripted.failures], [[], []]);
  const unexpected = await world.play(calling("tool: forecast"));
  assert.deepEqual(failed(unexpected), ["the call of forecast"]);
  const inherited = await world.play(calling("tool: constructor"));
  assert.deepEqual(failed(inherited), ["the call of constructor"]);
  const misspelt = await world.play(calling("tool: file_read, args: { pth: a.md }"));
  assert.deepEqual(failed(misspelt), ["the call of file_read"]);

  const fetching = (args: string, rest = ', result: "sunny"') =>
    `version: 1\nreplies:\n  - calls: [{ tool: http_request, args: ${args}${rest} }]\n  - text: ok\n`;
  const right = await world.play(fetching('{ method: GET, url: "https://a.example/" }'));
  assert.deepEqual(failed(right), []);
  const wrong = await world.play(fetching('{ method: GET, uri: "https://a.example/" }'));
  assert.deepEqual(failed(wrong), ["the call of http_request"]);
  assert.equal(wrong.failures[0]?.expected, "sunny");
  const read = wrong.failures[0]?.got ?? "";
  assert.match(read, /^Error: /);
  // The case passes if it expects the error.
  const error = JSON.stringify(read.replace(/^Error: /, ""));
  const expected = fetching('{ method: GET, uri: "https://a.example/" }', `, error: ${error}`);
  assert.deepEqual(failed(await world.play(expected)), []);
  const unknown = await world.play(fetching("{}").replace("http_request", "forecast"));
  assert.deepEqual(failed(unknown), ["the call of forecast"]);
});

Deno.test("limits and guards apply in a case, and every scripted reply must be used", async () => {
  await using world = await createTestedWorkspace();
  const play = (rest: string) => world.play(`version: 1\nreplies: ${rest}\n`);
  const missing = await play("[{ calls: [{ tool: file_glob, args: { pattern: '*' } }] }]");
  assert.match(missing.failures[0]?.got ?? "", /asked for reply 2/);
  assert.deepEqual(failed(await play("[{ text: a }, { text: b }]")), ["replies"]);
  const unknown = await play("[{ text: hi }]\nexpect: { max_cost_usd: 1 }");
  assert.deepEqual(failed(unknown), ["max_cost_usd"]);

  const write = (rest: string) =>
    "version: 1\nreplies:\n" +
    `  - calls: [{ tool: file_write, args: { path: a.md, content: x }${rest} }]\n  - text: done\n`;
  const guarded = "confirm: [file_write]";
  assert.deepEqual(failed(await world.play(write(""), guarded)), ["status"]);
  const waits = `${write("")}expect: { status: waiting, files: { a.md: { exists: false } } }\n`;
  const waiting = await world.play(waits, guarded);
  assert.deepEqual(failed(waiting), []);
  const denied = write(", answers: [{ approved: false, reason: no }]");
  const none = "expect: { files: { a.md: { exists: false } } }\n";
  assert.deepEqual(failed(await world.play(denied + none, guarded)), []);
  const limited = await world.play(
    `${write("")}expect: { status: aborted, error: max_tool_calls }\n`.replace(
      "  - text: done\n",
      "",
    ).replace("replies:\n", "replies:\n  - calls: [{ tool: file_glob, args: { pattern: '*' } }]\n"),
    "settings: { max_tool_calls: 1 }",
  );
  assert.deepEqual(failed(limited), []);
  const misfit = await world.play(write(", answers: [{ text: yes please }]"), guarded);
  assert.match(misfit.failures[0]?.got ?? "", /does not fit/);
});

Deno.test("the case provides the results of other agents, skills and people", async () => {
  await using world = await createTestedWorkspace();
  await world.agent("helper");
  const result = await world.play(
    `version: 1
tools: { run_agent: "helped" }
replies:
  - calls: [{ tool: run_agent, args: { agent_id: helper } }]
  - calls: [{ tool: ask_user, args: { question: "Which?" }, answers: [{ text: "the red one" }] }]
  - error: the model is overloaded
expect: { status: error, error: overloaded }
`,
    "agents: [helper]",
  );
  assert.deepEqual([result.problems, result.failures], [[], []]);

  const folder = `${world.workspace.agentsDir}/_config/skills/haiku`;
  await Deno.mkdir(folder, { recursive: true });
  const content = "---\nname: haiku\ndescription: Writes haiku\n---\nFive, seven, five.\n";
  await Deno.writeTextFile(`${folder}/SKILL.md`, content);
  const text = (call: string) =>
    `version: 1\nreplies:\n  - calls: [{ tool: skill_use, args: { skill_name: haiku }${call} }]\n` +
    "  - text: ok\nexpect: { tools_called: [skill_use] }\n";
  const scripted = await world.play(text(", result: Five"), "skills: [haiku]");
  assert.deepEqual([scripted.problems, scripted.failures], [[], []]);
  const gap = await world.play(text(""), "skills: [haiku]");
  assert.match(gap.failures[0]?.got ?? "", /^skill_use is called/);
  const missing = await world.play(text(", result: Five"), "skills: [sonnet]");
  assert.match(missing.failures[0]?.got ?? "", /^error: .*sonnet/);
});

Deno.test("after a scripted failure the fallback model gives the next reply", async () => {
  await using world = await createTestedWorkspace();
  const play = async (status: string) => {
    const replies = `replies:\n  - { error: down${status} }\n  - { text: Done. }\n`;
    await world.write("worker/case.yaml", `version: 1\n${replies}`);
    return (await world.tests.run("worker"))[0];
  };
  const model = "{ provider: openai, name: gpt-5, fallback: anthropic/c }";
  await world.workspace.writeAgent("worker", `---\nmodel: ${model}\n---\nDo your task.\n`);
  for (
    const [status, isReplaced] of [[", status: 503", true], [", status: 400", false], ["", false]]
  ) {
    const result = await play(String(status));
    assert.equal(result && isPassed(result), isReplaced, `${status} ${JSON.stringify(result)}`);
  }
});

Deno.test("a case reads and writes no real file", async () => {
  await using world = await createTestedWorkspace();
  const { workspace, root } = world.workspace;
  await Deno.writeTextFile(`${workspace}/real.md`, "real");
  await Deno.mkdir(`${root}/notes`);
  const result = await world.play(
    `version: 1
replies:
  - calls:
      - { tool: file_write, args: { path: "${root}/notes/a.md", content: one } }
      - { tool: file_write, args: { path: "{notes}/b.md", content: two } }
      - { tool: file_write, args: { path: "~/notes/c.md", content: three } }
      - { tool: file_read, args: { path: real.md } }
      - { tool: memory_save, args: { section: s, content: kept } }
  - text: done
expect:
  files:
    ~/notes/a.md: { equals: one }
    ~/notes/b.md: { equals: two }
    ~/notes/c.md: { equals: three }
    real.md: { exists: false }
    agents/worker.memory.md: { contains: kept }
`,
    `paths: ['~/notes', real.md]\n${FREE}`,
  );
  assert.deepEqual([result.problems, result.failures], [[], []]);
  assert.deepEqual([...Deno.readDirSync(`${root}/notes`)], []);
  assert.equal(Deno.readTextFileSync(`${workspace}/real.md`), "real");
  assert.throws(() => Deno.statSync(`${workspace}/agents/worker.memory.md`));
});

Deno.test("a case contains a JSON Schema or names its file", async () => {
  await using world = await createTestedWorkspace();
  const text = (schema: string) =>
    `version: 1\nreplies: [{ text: '{"id": 7}' }]\nexpect: { output: { schema: ${schema} } }\n`;
  await world.write("worker/answer.json", '{"properties": {"id": {"type": "string"}}}');
  const { failures } = await world.play(text("answer.json"));
  assert.deepEqual(failures.map(({ got }) => got), ["/id must be string"]);
  const problemOf = async (schema: string) => {
    const { problems } = await world.play(text(schema));
    return `${problems[0]?.line}:${problems[0]?.column} ${problems[0]?.message}`;
  };
  assert.match(await problemOf("gone.json"), /gone\.json does not exist$/);
  await world.write("worker/list.json", "[]");
  assert.match(await problemOf("list.json"), /list\.json is not a schema/);
  const sentence = await problemOf("{ type: text }");
  assert.match(sentence, /^3:37 expect\.output\.schema\.type must be object, /);
  assert.match(await problemOf("[]"), /expect\.output\.schema/);
});
