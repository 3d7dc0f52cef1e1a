// A real runtime whose agents have triggers, with queries for their runs.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import type { OpenRuntimeOptions } from "../../../runtime/mod.ts";
import type { Execution } from "../../../runtime/executions/execution.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import type { TestWorkspace } from "../../support/test_workspace.ts";
import { createTestWorkspace, runsOf, turnOf } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";

/** A workspace and the service that is open on it. */
export class LiveTriggers implements AsyncDisposable {
  readonly place: TestWorkspace;
  #runtime: Runtime | undefined;

  private constructor(place: TestWorkspace) {
    this.place = place;
  }

  /** Creates a workspace with the given files. Does not open a service. */
  static async create(...files: string[]): Promise<LiveTriggers> {
    const live = new LiveTriggers(await createTestWorkspace());
    for (const file of files) live.write(file);
    return live;
  }

  get runtime(): Runtime {
    assert.ok(this.#runtime !== undefined, "the service runs");
    return this.#runtime;
  }

  async open(options: Partial<OpenRuntimeOptions> = {}): Promise<Runtime> {
    return this.#runtime = await this.place.open(options);
  }

  async close(): Promise<void> {
    await this.#runtime?.[Symbol.asyncDispose]();
    this.#runtime = undefined;
  }

  async restart(options: Partial<OpenRuntimeOptions> = {}): Promise<Runtime> {
    await this.close();
    return await this.open(options);
  }

  /** Writes an agent that watches paths. Its model plays a script, or replies with one word. */
  async watching(
    id: string,
    paths: string[],
    options: { steps?: unknown[]; trigger?: string; settings?: string } = {},
  ): Promise<void> {
    const { steps = [{ say: "done" }], trigger = "debounce: 20ms", settings = "" } = options;
    const lines = `trigger: { type: watch, paths: ${JSON.stringify(paths)}, ${trigger} }`;
    await this.place.writeScript(id, steps, `${lines}\n${settings}`.trim());
  }

  path(name: string): string {
    return join(this.place.workspace, name);
  }

  /** Writes a file synchronously, and creates its folders. */
  write(name: string, content = `written ${crypto.randomUUID()}`): void {
    Deno.mkdirSync(dirname(this.path(name)), { recursive: true });
    Deno.writeTextFileSync(this.path(name), content);
  }

  /** Returns an agent's runs, oldest first. */
  runs(id: string): Promise<Execution[]> {
    return runsOf(this.runtime, id);
  }

  /** Returns the number of the agent's runs with status `running`. */
  async runningCount(id: string): Promise<number> {
    return (await this.runs(id)).filter(({ status }) => status === "running").length;
  }

  /** Returns the change that started each run of an agent, as `created a.md`. */
  async fired(id: string): Promise<string[]> {
    const runs = await this.runs(id);
    return await Promise.all(runs.map(async (run) => {
      const turn = await turnOf(this.runtime, run.id);
      const [, event, path] = /was (\w+): "([^"]*)"/.exec(turn) ?? [];
      return path === undefined ? run.trigger : `${event} ${path.split("/").at(-1)}`;
    }));
  }

  /** Waits until the agent has run for exactly the expected changes, in any order, and all runs have ended. */
  async untilFired(id: string, ...expected: string[]): Promise<void> {
    const isOver = ({ status }: Execution) => status !== "running" && status !== "waiting";
    let seen: string[] = [];
    try {
      await until(async () => {
        const runs = await this.runs(id);
        if (runs.length < expected.length || !runs.every(isOver)) return false;
        seen = await this.fired(id);
        return expected.every((one) => seen.includes(one));
      }, `${id} runs for ${expected.join(", ")}`);
    } catch (error) {
      assert.fail(`${error}; it ran for ${(await this.fired(id)).join(", ") || "nothing"}`);
    }
    assert.deepEqual(seen.toSorted(), expected.toSorted());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await this.place[Symbol.asyncDispose]();
  }
}
