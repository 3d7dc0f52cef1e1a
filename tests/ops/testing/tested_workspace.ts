// A workspace with an agent whose cases tests play.
import { dirname, join } from "node:path";
import { SystemClock } from "../../../base/clock.ts";
import { AgentTests } from "../../../ops/testing/agent_tests.ts";
import { isPassed, type TestResult } from "../../../ops/testing/test_result.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";

/** Front matter with a model that cannot be called: it has no key, and no server listens on its address. */
export const MODEL = "model: { provider: openai, name: gpt-5, base_url: 'http://127.0.0.1:9/v1' }";

export interface TestedWorkspace extends AsyncDisposable {
  workspace: TestWorkspace;
  tests: AgentTests;
  /** Writes `agents/<id>.md` with this front matter. */
  agent(id: string, lines?: string): Promise<void>;
  /** Writes `agents/_config/tests/<path>`. */
  write(path: string, text: string): Promise<void>;
  /** Writes the case, plays it and returns its result. */
  play(text: string, lines?: string): Promise<TestResult>;
}

export async function createTestedWorkspace(
  options: Parameters<typeof createTestWorkspace>[0] = {},
): Promise<TestedWorkspace> {
  const workspace = await createTestWorkspace(options);
  const tests = await AgentTests.open(await workspace.settings(), {
    clock: new SystemClock(),
    version: "0.0.0-test",
  });
  const agent = (id: string, lines = "") =>
    workspace.writeAgent(id, `---\n${MODEL}\n${lines && `${lines}\n`}---\nDo your task.\n`);
  const write = async (path: string, text: string) => {
    const file = join(workspace.agentsDir, "_config", "tests", path);
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeTextFile(file, text);
  };
  return {
    workspace,
    tests,
    agent,
    write,
    async play(text, lines) {
      await agent("worker", lines);
      await write("worker/case.yaml", text);
      const [result] = await tests.run("worker");
      if (result === undefined) throw new TypeError("The case was not found");
      return result;
    },
    async [Symbol.asyncDispose]() {
      await tests[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** Returns the names of the failed expectations. */
export function failed({ failures }: TestResult): string[] {
  return failures.map(({ what }) => what);
}

export { isPassed };
