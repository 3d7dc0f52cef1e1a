// Custom tools in runs of agents: what the model reads, questions across restarts, tools that cannot be had.
import assert from "node:assert/strict";
import { join } from "node:path";
import { validateWorkspace } from "../../../../runtime/authoring/workspace_validation.ts";
import type { HumanAnswer } from "../../../../runtime/tools/tool.ts";
import { denoDirectory } from "../../../support/repository.ts";
import type { TestWorkspace } from "../../../support/test_workspace.ts";
import { createTestWorkspace, payloadsOf, runToEnd } from "../../../support/test_workspace.ts";
import { toEnd } from "../../../support/test_workspace.ts";

async function openPlace(): Promise<TestWorkspace> {
  const place = await createTestWorkspace({ shell: { DENO_DIR: denoDirectory() } });
  await Deno.mkdir(join(place.agentsDir, "_config/tools"), { recursive: true });
  await Deno.mkdir(join(place.workspace, "notes"));
  // Whether this system has one makes no difference here.
  const target = join(place.configDir, "config.yaml");
  await Deno.writeTextFile(target, "sandbox: off\n", { append: true });
  return place;
}

function writeTool(place: TestWorkspace, name: string, source: string): Promise<void> {
  return Deno.writeTextFile(join(place.agentsDir, "_config/tools", `${name}.ts`), source);
}

/** An agent that calls one tool and repeats its result. */
function writeCaller(place: TestWorkspace, tool: string, args: object = {}): Promise<void> {
  const call = [{ name: tool, arguments: args }];
  return place.writeScript("caller", [{ call }, { say: "It said: {result}" }], `tools: [${tool}]`);
}

Deno.test("an agent calls a custom tool and reads its result", async () => {
  await using place = await openPlace();
  await writeTool(
    place,
    "adder",
    `export default { description: "Adds", effect: "read",
       parameters: { properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
       run: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }) };`,
  );
  await writeCaller(place, "adder", { a: 2, b: 3 });
  await using runtime = await place.open();
  const { status, outputData } = await runToEnd(runtime, "caller");
  assert.deepEqual([status, outputData], ["success", 'It said: {"sum":5}']);
  assert.deepEqual(await validateWorkspace(await place.settings(), "caller", { cwd: "/" }), [
    { agentId: "caller", path: join(place.agentsDir, "caller.md"), diagnostics: [] },
  ]);
});

Deno.test("a custom tool that takes too long is a tool error, and the run goes on", async () => {
  await using place = await openPlace();
  await writeTool(
    place,
    "sleeper",
    `export default { description: "Sleeps", timeout: 0.5, run: () => new Promise(() => {}) };`,
  );
  await writeCaller(place, "sleeper");
  await using runtime = await place.open();
  const { status, outputData } = await runToEnd(runtime, "caller");
  const expected = ["success", "It said: Error: sleeper took longer than 0.5 s"];
  assert.deepEqual([status, outputData], expected);
});

Deno.test("a question of a custom tool is answered after a restart", async () => {
  await using place = await openPlace();
  await writeTool(
    place,
    "asker",
    `export default { description: "Asks", async run(_: unknown, context: any): Promise<string> {
       const sure = await context.confirm("Really?");
       const name = await context.ask("Who?");
       return sure + " " + name;
     } };`,
  );
  await writeCaller(place, "asker");
  let id: number;
  {
    await using runtime = await place.open();
    const waiting = await runToEnd(runtime, "caller");
    assert.equal(waiting.status, "waiting");
    id = waiting.id;
    const request = await runtime.pendingRequest(id);
    const expected = ["confirm", "Really?", "asker"];
    assert.deepEqual([request.kind, request.message, request.toolName], expected);
  }
  await using runtime = await place.open();
  const first = await runtime.pendingRequest(id);
  await runtime.respond(id, { requestId: first.requestId, answer: { approved: true } });
  assert.equal((await toEnd(runtime, id)).status, "waiting");
  const second = await runtime.pendingRequest(id);
  assert.deepEqual([second.kind, second.message], ["input", "Who?"]);
  await runtime.respond(id, { requestId: second.requestId, answer: { text: "Ada" } });
  const { status, outputData } = await toEnd(runtime, id);
  assert.deepEqual([status, outputData], ["success", "It said: true Ada"]);
});

Deno.test("answers to further questions outlast a change of the first one", async () => {
  await using place = await openPlace();
  await writeTool(
    place,
    "wipe",
    `export default { description: "Deletes", async run(_: unknown, context: any): Promise<string> {
       const told = [await context.confirm("Delete " + [...Deno.readDirSync("notes")].length + " file(s)?")];
       for (const n of [1, 2]) told.push(await context.ask("Name " + n + "?"));
       return told.join(" ");
     } };`,
  );
  await writeCaller(place, "wipe");
  await using runtime = await place.open();
  await Deno.writeTextFile(join(place.workspace, "notes/0.txt"), "");
  const { id } = await runToEnd(runtime, "caller");
  const answerTo = async (message: string, answer: HumanAnswer) => {
    const request = await runtime.pendingRequest(id);
    assert.equal(request.message, message);
    await runtime.respond(id, { requestId: request.requestId, answer });
    return await toEnd(runtime, id);
  };
  await answerTo("Delete 1 file(s)?", { approved: true });
  await answerTo("Name 1?", { text: "n1" });
  await Deno.writeTextFile(join(place.workspace, "notes/1.txt"), "");
  await answerTo("Name 2?", { text: "n2" });
  const { status, outputData } = await answerTo("Delete 2 file(s)?", { approved: true });
  assert.deepEqual([status, outputData], ["success", "It said: true n1 n2"]);
});

Deno.test("a custom tool that asks something else each time asks four times in a run, then fails", async () => {
  await using place = await openPlace();
  await writeTool(
    place,
    "fickle",
    `export default { description: "Asks", run: (_: unknown, context: any) => context.confirm(crypto.randomUUID()) };`,
  );
  await writeCaller(place, "fickle");
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "caller");
  for (let time = 0; time < 4; time++) {
    const { requestId } = await runtime.pendingRequest(id);
    await runtime.respond(id, { requestId, answer: { approved: true } });
    await toEnd(runtime, id);
  }
  const { status, outputData } = await toEnd(runtime, id);
  assert.equal(status, "success");
  assert.match(String(outputData), /The tool asked something else than before/);
});

Deno.test("an agent whose custom tool cannot be had ends with the reason, and validate tells it", async () => {
  await using place = await openPlace();
  await writeTool(place, "broken", `throw new Error("not today");`);
  await writeCaller(place, "broken");
  await using runtime = await place.open();
  const { id, status } = await runToEnd(runtime, "caller");
  assert.equal(status, "error");
  const complete = (await payloadsOf(runtime, id)).at(-1);
  const sentence = /The custom tool broken cannot be used: .*broken\.ts:1:7: not today/;
  assert.match(String(complete?.["error"]), sentence);
  const [file] = await validateWorkspace(await place.settings(), "caller", { cwd: "/" });
  assert.match(file?.diagnostics[0]?.message ?? "", sentence);
});
