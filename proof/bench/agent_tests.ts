// Measures the time of `inkling test` for many offline cases in one command.
import { join } from "node:path";
import { SystemClock } from "../../base/clock.ts";
import { AgentTests } from "../../ops/testing/agent_tests.ts";
import { readCaseFile } from "../../ops/testing/case_files.ts";
import { isPassed } from "../../ops/testing/test_result.ts";
import { createTestWorkspace } from "../../tests/support/test_workspace.ts";
import { comparePaired, type Figure, subjectAtMost } from "./paired.ts";

const CASES = 500;
const PAIRS = 3;

/** A case with three replies: the agent reads a file and writes another. */
const CASE = `version: 1
files: { notes.md: "It rained." }
replies:
  - calls: [{ tool: file_read, args: { path: notes.md } }]
  - calls:
      - tool: file_write
        args: { path: report.md, content: Rain. }
        answers: [{ approved: true }]
  - text: Written.
expect:
  output: { equals: Written. }
  files: { report.md: { equals: Rain. } }
`;

/** Measures 500 cases, compared with only reading their files. The goal is a minute. */
export async function benchAgentTests(): Promise<Figure[]> {
  await using place = await createTestWorkspace();
  await place.writeAgent("reporter", "Write a report.\n");
  const folder = join(place.agentsDir, "_config/tests/reporter");
  await Deno.mkdir(folder, { recursive: true });
  for (let number = 0; number < CASES; number++) {
    await Deno.writeTextFile(join(folder, `case-${number}.yaml`), CASE);
  }
  const settings = await place.settings();
  await using tests = await AgentTests.open(settings, {
    clock: new SystemClock(),
    version: "0.0.0-bench",
  });
  return [
    await comparePaired("agent tests: 500 offline cases / reading them", {
      floor: async () => {
        for (const { path } of await tests.find()) await readCaseFile(path, settings.directories);
      },
      subject: async () => {
        const results = await tests.run();
        if (results.length !== CASES || !results.every(isPassed)) throw new Error("A case failed");
      },
      pairs: PAIRS,
      goal: subjectAtMost(60_000),
    }),
  ];
}
