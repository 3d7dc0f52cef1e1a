// Measures the time of a replay of a hundred steps, compared with the run itself.
import { createTestWorkspace, runToEnd } from "../../tests/support/test_workspace.ts";
import { comparePaired, type Figure, subjectAtMost } from "./paired.ts";

const STEPS = 100;
const PAIRS = 9;

/** Returns the figure of the replay. Its goal is 0.3 seconds. */
export async function benchReplays(): Promise<Figure[]> {
  await using place = await createTestWorkspace();
  const call = [{ name: "file_glob", arguments: { pattern: "*.md" } }];
  await place.writeScript(
    "long",
    [
      ...Array.from({ length: STEPS - 1 }, (_, step) => ({ say: `Step ${step}.`, call })),
      { say: "Done." },
    ],
    "history: off\nsettings: { loop_detection: false, max_tool_calls: none, max_execution_tokens: none }",
  );
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "long");
  return [
    await comparePaired(`replay of ${STEPS} steps, against their run`, {
      floor: () => runToEnd(runtime, "long"),
      subject: () => runtime.replays.replay(id, { withAllTools: false }),
      pairs: PAIRS,
      goal: subjectAtMost(300),
    }),
  ];
}
