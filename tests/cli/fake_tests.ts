// Fake results of agent tests.
import type { AgentTesting } from "../../ops/testing/agent_tests.ts";
import type { TestResult } from "../../ops/testing/test_result.ts";
import type { LiveTrial } from "../../ops/testing/live_trial.ts";
import type { FakeCli } from "./fake_cli.ts";

const FOLDER = "/home/me/inkling/agents/_config/tests";

/** Creates the result of a passed case; `parts` override its fields. */
export function result(name: string, parts: Partial<TestResult> = {}): TestResult {
  return {
    name,
    agentId: name.split("/")[0] ?? "",
    path: `${FOLDER}/${name}.yaml`,
    problems: [],
    failures: [],
    unjudged: [],
    steps: 3,
    costUsd: 0.0125,
    durationMs: 12,
    ...parts,
  };
}

/** The results of a passed case, a failed case and an invalid case. */
export const RESULTS: readonly TestResult[] = [
  result("reporter/quiet-week"),
  result("reporter/storm", {
    failures: [
      {
        what: 'files "report.md".equals',
        expected: "# Report\n\n- 71 words\n- Sections: Notes\n",
        got: "# Report\n\n- 72 words\n- Sections: Notes\n",
        isText: true,
      },
      {
        what: "status",
        expected: "success",
        got: 'waiting: file_delete asks "Allow file_delete?", and its call in the case has no ' +
          "answers left",
      },
      {
        what: "tools_not_called",
        expected: "not http_request",
        got:
          'file_read {"path":"notes.md"}\nhttp_request {"method":"GET","url":"https://a.b/\u001B[2J"}',
      },
    ],
  }),
  result("tidy", {
    problems: [{
      path: `${FOLDER}/tidy.yaml`,
      line: 9,
      column: 3,
      severity: "error",
      message: "Unknown key expect.outptu",
      hint: 'did you mean "output"?',
    }],
  }),
];

/** The results of a live test. */
const ROWS: Awaited<ReturnType<LiveTrial["run"]>> = [
  {
    name: "reporter/quiet-week",
    model: "openai/gpt-5",
    passed: 5,
    runs: 5,
    costUsd: 0.0421,
    durationMs: 4_210,
    failure: undefined,
  },
  {
    name: "reporter/quiet-week",
    model: "local/llama",
    passed: 4,
    runs: 5,
    costUsd: null,
    durationMs: 18_930,
    failure: RESULTS[1],
  },
];

/** Makes the fake command line return these results of tests. */
export function offerTests(
  { app }: FakeCli,
  parts: Partial<AgentTesting> & { results?: readonly TestResult[] } = {},
): void {
  const { results = RESULTS, ...more } = parts;
  const unplayable: LiveTrial["unplayable"] = [];
  app.openAgentTests = () =>
    Promise.resolve({
      folder: FOLDER,
      agentIds: () => ["reporter", "tidy"],
      find: () => Promise.resolve([]),
      run: (agentId) =>
        Promise.resolve(results.filter((one) => agentId === undefined || one.agentId === agentId)),
      record: (id, { name = `run-${id}` } = {}) =>
        Promise.resolve(`${FOLDER}/reporter/${name}.yaml`),
      watch: () => Promise.resolve(),
      openTrial: () =>
        Promise.resolve({
          unplayable,
          estimate: { runs: 10, votes: 0, costUsd: 0.043, unknown: 5 },
          run: () => Promise.resolve(ROWS),
          [Symbol.dispose]: () => {},
        } as unknown as LiveTrial),
      [Symbol.asyncDispose]: () => Promise.resolve(),
      ...more,
    });
}
