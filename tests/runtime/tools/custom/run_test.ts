// Tests custom tools in runs of agents: results for the model, questions across restarts, and unavailable tools.
import assert from "node:assert/strict";
import { join } from "node:path";
import { validateWorkspace } from "../../../../ops/authoring/workspace_validation.ts";
import type { Runtime } from "../../../../runtime/interface/runtime.ts";
import type { HumanAnswer } from "../../../../runtime/tools/definition/tool.ts";
import { denoDirectory } from "../../../support/repository.ts";
import { age } from "../../../support/temp_dir.ts";
import {
  createTestWorkspace,
  payloadsOf,
  runToEnd,
  type TestWorkspace,
  toEnd,
} from "../../../support/test_workspace.ts";

async function openPlace(): Promise<TestWorkspace> {
  const place = await createTestWorkspace({ shell: { DENO_DIR: denoDirectory() } });
  await Deno.mkdir(join(place.agentsDir, "_config/tools"), { recursive: true });
  await Deno.mkdir(join(place.workspace, "notes"));
  // These tests give the same results with and without a sandbox, so the sandbox is off.
  const target = join(place.configDir, "config.yaml");
  await Deno.writeTextFile(target, "sandbox: off\n", { append: true });
  return place;
}

/** The module `all`: its tools are described once. */
const ALL = `
  const tool = (description: string, more: object) => ({ description, ...more });
  export const adder = tool("Adds", {
    effect: "read",
    parameters: { properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
    run: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
  });
  export const sleeper = tool("Sleeps", { timeout: 0.1, run: () => new Promise(() => {}) });
  export const wipe = tool("Deletes", { async run(_: unknown, context: any): Promise<string> {
    const told = [await context.confirm("Delete " + [...Deno.readDirSync("notes")].length + " file(s)?")];
    told.push(await context.ask("Name?"));
    return told.join(" ");
  } });
`;

const CALLED_WITH: Record<string, object> = { adder: { a: 2, b: 3 } };

/** Writes an agent `call-<tool>` for each tool. It calls the tool and repeats its result. */
async function writeTools(place: TestWorkspace): Promise<void> {
  for (const [module, source] of [["all", ALL], ["broken", `throw new Error("not today");`]]) {
    const path = join(place.agentsDir, "_config/tools", `${module}.ts`);
    await Deno.writeTextFile(path, source ?? "");
    // The file's date is set back, so that each run uses the cached description.
    await age(path);
  }
  for (const name of ["adder", "sleeper", "wipe", "broken"]) {
    const call = [{ name, arguments: CALLED_WITH[name] ?? {} }];
    const steps = [{ call }, { say: "It said: {result}" }];
    const module = name === "broken" ? name : "all";
    await place.writeScript(`call-${name}`, steps, `tools: [${module}]`);
  }
}

Deno.test("custom tools work in runs of agents", async (t) => {
  await using place = await openPlace();
  await writeTools(place);
  let asked: number;
  const write = (name: string) => Deno.writeTextFile(join(place.workspace, "notes", name), "");
  const answerTo = async (runtime: Runtime, message: string, answer: HumanAnswer) => {
    const request = await runtime.pendingRequest(asked);
    assert.equal(request.message, message);
    await runtime.respond(asked, { requestId: request.requestId, answer });
    return await toEnd(runtime, asked);
  };
  {
    await using runtime = await place.open();

    await t.step("an agent calls a custom tool and reads its result", async () => {
      const { status, outputData } = await runToEnd(runtime, "call-adder");
      assert.deepEqual([status, outputData], ["success", 'It said: {"sum":5}']);
    });

    await t.step("a call that takes too long is a tool error, and the run continues", async () => {
      const { status, outputData } = await runToEnd(runtime, "call-sleeper");
      const expected = ["success", "It said: Error: sleeper took longer than 0.1 s"];
      assert.deepEqual([status, outputData], expected);
    });

    await t.step("an agent with an unavailable tool ends with the reason", async () => {
      const { id, status } = await runToEnd(runtime, "call-broken");
      assert.equal(status, "error");
      const complete = (await payloadsOf(runtime, id)).at(-1);
      const sentence = /The custom tool broken cannot be used: .*broken\.ts:1:7: not today/;
      assert.match(String(complete?.["error"]), sentence);
      const settings = await place.settings();
      const [file] = await validateWorkspace(settings, "call-broken", { cwd: "/" });
      assert.match(file?.diagnostics[0]?.message ?? "", sentence);
    });

    await write("0.txt");
    const waiting = await runToEnd(runtime, "call-wipe");
    assert.equal(waiting.status, "waiting");
    asked = waiting.id;
    const { kind, toolName } = await runtime.pendingRequest(asked);
    assert.deepEqual([kind, toolName], ["confirm", "wipe"]);
  }

  await t.step(
    "questions are answered after a restart, and answers to later ones survive a change of the first",
    async () => {
      await using runtime = await place.open();
      await answerTo(runtime, "Delete 1 file(s)?", { approved: true });
      await write("1.txt");
      await answerTo(runtime, "Name?", { text: "Ada" });
      const ended = await answerTo(runtime, "Delete 2 file(s)?", { approved: true });
      assert.deepEqual([ended.status, ended.outputData], ["success", "It said: true Ada"]);
    },
  );
});
