// Helpers for tests that start, read and answer executions of a runtime.
import type { HumanAnswer } from "../../../runtime/executions/human_request.ts";
import type { ExecutionDetail, Runtime } from "../../../runtime/interface/runtime.ts";
import { denoDirectory } from "../../support/repository.ts";
import { IS_POSTGRES } from "../../support/test_database.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestClock } from "../../support/test_clock.ts";
import type { TestWorkspace } from "../../support/test_workspace.ts";
import { createTestWorkspace, payloadsOf, runToEnd, toEnd } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";

/** Creates a workspace whose custom tools start fast: without a sandbox, and with a host program that is compiled once. */
export async function createToolPlace(
  { shell = {}, lines = "" }: { shell?: Record<string, string>; lines?: string } = {},
): Promise<TestWorkspace> {
  const place = await createTestWorkspace({ shell: { DENO_DIR: denoDirectory(), ...shell } });
  await place.configure(`sandbox: off\n${lines}`);
  return place;
}

/** The front matter of an agent that calls all tools without approval. */
export const FREE = 'auto_approve: "*"';

/** Returns a tool call for a model's script. */
export function call(name: string, args: unknown = {}): { name: string; arguments: unknown } {
  return { name, arguments: args };
}

/** Returns a call that delegates to another agent. */
export function delegate(id: string, args?: string | string[]): ReturnType<typeof call> {
  return call("run_agent", { agent_id: id, ...(args !== undefined && { arguments: args }) });
}

/** A step of a script that calls ask_user. */
export const ASK = { call: [call("ask_user", { question: "Which?" })] };

/** The execution of a scripted agent that has ended or waits, in its own workspace. */
export type Started = ExecutionDetail & AsyncDisposable & {
  place: TestWorkspace;
  runtime: Runtime;
};

/** Runs a scripted agent in its own workspace until the run has ended or waits. */
export async function started(agent: string, steps: unknown[], lines = ""): Promise<Started> {
  await using resources = new AsyncDisposableStack();
  const place = resources.use(await createTestWorkspace());
  await place.writeScript(agent, steps, lines);
  const runtime = resources.use(await place.open());
  const detail = await runToEnd(runtime, agent);
  const owned = resources.move();
  return { ...detail, place, runtime, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Runs an agent in a service that stops while the run waits for a person. Returns the execution's id. */
export async function stopWaiting(
  place: TestWorkspace,
  agent: string,
  options: { clock?: TestClock } = {},
): Promise<number> {
  await using runtime = await place.open(options);
  const { id, status } = await runToEnd(runtime, agent);
  assert.equal(status, "waiting");
  return id;
}

/** Runs an agent in a service that stops while the model is replying. Returns the execution's id. */
export async function stopAtModel(
  place: TestWorkspace,
  agent: string,
  { clock, ms }: { clock: TestClock; ms: number },
): Promise<number> {
  await using runtime = await place.open({ clock });
  const { id } = await runtime.run(agent, {});
  await until(() => clock.awaits(ms), "the call of the model");
  await runtime.stop({ graceMs: 0 });
  return id;
}

/** Returns a script that makes these calls in one reply and then ends. */
export const doing = (...calls: unknown[]): unknown[] => [{ call: calls }, { say: "Done." }];

/** Writes a file into the folder `_config` of the agents. */
export async function writeConfig(place: TestWorkspace, name: string, text: string): Promise<void> {
  const path = join(place.agentsDir, "_config", name);
  await Deno.mkdir(join(path, ".."), { recursive: true });
  await Deno.writeTextFile(path, text);
}

/**
 * Defines the MCP server `witness`, which writes a line to the file `trace` for each call. The name of an argument is read
 * from `file`.
 */
export async function writeWitness(place: TestWorkspace): Promise<{ trace: string; file: string }> {
  const [trace, file] = [join(place.root, "trace"), join(place.root, "argument")];
  await Deno.writeTextFile(file, "query");
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const witness = {
    command: Deno.execPath(),
    args: [
      ...["run", "--cached-only", "--no-prompt", "--allow-env", "--allow-read", "--allow-write"],
      ...["--config", here("../../deno.json"), here("witness_server.ts"), trace, file],
    ],
    env: { DENO_DIR: denoDirectory() },
    sandbox: false,
  };
  await writeConfig(place, "mcp-servers.json", JSON.stringify({ witness }));
  return { trace, file };
}

/** Writes a skill with these instructions. */
export async function writeSkill(place: TestWorkspace, name: string, body: string): Promise<void> {
  const head = `---\nname: ${name}\ndescription: Does ${name}.\n---\n`;
  await writeConfig(place, `skills/${name}/SKILL.md`, `${head}${body}\n`);
}

/** Answers an execution's question, and follows the execution until it ends or waits again. */
export async function answerToEnd(
  runtime: Runtime,
  id: number,
  given: HumanAnswer,
): Promise<ExecutionDetail> {
  await answer(runtime, id, given);
  return await toEnd(runtime, id);
}

/** Answers the open question of an execution. */
export async function answer(runtime: Runtime, id: number, given: HumanAnswer): Promise<void> {
  const { requestId } = await runtime.pendingRequest(id);
  await runtime.respond(id, { requestId, answer: given });
}

/** Returns the ids of an agent's executions, oldest first. */
export async function idsOf(runtime: Runtime, agent: string): Promise<number[]> {
  const runs = await runtime.listExecutions({ agentId: agent, limit: 50, offset: 0 });
  return runs.map(({ id }) => id).sort((a, b) => a - b);
}

/** Returns the status of an execution. */
export async function statusOf(runtime: Runtime, id: number): Promise<string> {
  return (await runtime.getExecution(id)).status;
}

/** Waits until an execution has a status. */
export async function untilStatus(runtime: Runtime, id: number, status: string): Promise<void> {
  await until(async () => await statusOf(runtime, id) === status, `execution ${id} is ${status}`);
}

/** Returns the results of an execution's tool calls in the order of its log. */
export async function resultsOf(runtime: Runtime, id: number): Promise<Record<string, unknown>[]> {
  return (await payloadsOf(runtime, id)).filter((one) => one["event_type"] === "tool_result");
}

/**
 * Changes the store to the state after a kill of the service: a dead instance holds the running executions, and no
 * execution has a job.
 */
export async function leaveRunning(place: TestWorkspace): Promise<void> {
  await place.run(
    "UPDATE executions SET status = 'running', finished_at = NULL, error = NULL, duration_ms = NULL" +
      (IS_POSTGRES
        ? ", job = NULL, cancelled = NULL, instance_id = (SELECT max(id) FROM instances)"
        : ""),
  );
  await place.run("DELETE FROM frames WHERE event = 'complete'");
}

/** Returns the texts of the messages that an execution got from earlier runs, in order. */
export async function seededOf(place: TestWorkspace, id: number): Promise<string[]> {
  const rows = await place.all<{ content: string }>(
    "SELECT body ->> '$.content' AS content FROM messages " +
      "WHERE execution_id = ? AND seeded = 1 ORDER BY position",
    id,
  );
  return rows.map(({ content }) => content);
}

/** Returns the files of a folder with their texts and modification times, by path. */
export async function listFiles(folder: string, prefix = ""): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) Object.assign(files, await listFiles(path, `${prefix}${name}/`));
    else files[prefix + name] = `${(await Deno.stat(path)).mtime} ${await Deno.readTextFile(path)}`;
  }
  return files;
}
