// `inkling test --live`: prints the expected cost, asks for confirmation, and counts the passed runs for each case and
// model.
import type { AgentTesting } from "../../../ops/testing/agent_tests.ts";
import type { TrialEstimate } from "../../../ops/testing/live_trial.ts";
import { type CommandContext, CommandFailure, EXIT, type ExitCode } from "../../context/context.ts";
import { formatCost, formatPlural } from "../../output/figures.ts";
import { showProblemsOf, showTrial, toTrialJson } from "../../output/testing/trial_report.ts";
import { Interview } from "../../prompting/interview.ts";
import { noTests, type TestOptions } from "./test_options.ts";

/** Runs the test cases with real models. The exit code is 1 if a run fails. */
export async function tryLive(
  context: CommandContext,
  tests: AgentTesting,
  { agentId, models, repeat = 1, json, yes }: TestOptions & { agentId: string | undefined },
): Promise<ExitCode> {
  const { output } = context;
  const names = (models ?? "").split(",").map((name) => name.trim()).filter((name) => name !== "");
  await using trial = await tests.openTrial({
    ...(agentId !== undefined && { agentId }),
    models: names,
    repeat,
  });
  const { estimate, unplayable } = trial;
  if (estimate.runs === 0 && unplayable.length === 0) throw noTests(context, tests, agentId);
  if (!json) showProblemsOf(output, unplayable);
  if (estimate.runs > 0) {
    output.notice(describeEstimate(estimate));
    if (!yes) await requireYes(context);
  }
  const rows = estimate.runs === 0 ? [] : await trial.run();
  if (json) output.json(toTrialJson(rows, unplayable));
  else if (rows.length > 0) showTrial(output, rows);
  const isPassed = unplayable.length === 0 && rows.every(({ passed, runs }) => passed === runs);
  return isPassed ? EXIT.ok : EXIT.failed;
}

function describeEstimate({ runs, votes, costUsd, unknown }: TrialEstimate): string {
  const judges = votes === 0 ? "" : ` and ${formatPlural(votes, "vote")} of judges`;
  const what = `${formatPlural(runs, "run")}${judges} with real models`;
  if (unknown === runs && costUsd === 0) {
    return `${what}: unknown cost (the cases have no token counts, or the models no price)`;
  }
  const rest = unknown === 0 ? "" : `, and ${formatPlural(unknown, "run")} of unknown cost`;
  return `${what}: about ${formatCost(costUsd)}${rest}`;
}

async function requireYes(context: CommandContext): Promise<void> {
  const interview = new Interview(
    context,
    "Check the cost above, then repeat the command with --yes",
  );
  if (await interview.confirm("Start?", { initial: false })) return;
  throw new CommandFailure(EXIT.failed, "Not started: no model was called");
}
