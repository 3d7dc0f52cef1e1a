// `inkling test`: runs test cases offline or with real models, or creates a case from a finished execution.
import { defined } from "../../context/defined.ts";
import { type CommandOptions, performs } from "../../command_line/command.ts";
import type { test } from "../../declarations/authoring_commands.ts";
import { writeFileAtomically } from "../../../base/files/atomic_file.ts";
import type { AgentTesting } from "../../../ops/testing/agent_tests.ts";
import type { TrialEstimate } from "../../../ops/testing/live_trial.ts";
import type { CommandContext } from "../../context/context.ts";
import {
  commandFailed,
  type CommandFailure,
  EXIT,
  type ExitCode,
  misuse,
} from "../../context/exit.ts";
import { unknownAgent } from "../../context/unknown_agent.ts";
import { formatCost, formatPlural } from "../../output/figures.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { formatJUnit } from "../../output/testing/junit.ts";
import {
  countEnds,
  showProblemsOf,
  showResults,
  showTrial,
  toJson,
  toTrialJson,
} from "../../output/testing/test_report.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";
import { Interview } from "../../prompting/interview.ts";

type TestOptions = CommandOptions<typeof test>;

/** Runs or records test cases, as the options say. The exit code is 1 if a case fails or no case passes. */
export const perform = performs<typeof test>(async (context, options, { agent: agentId }) => {
  const { app } = context;
  checkDependencies(options);
  await using tests = await app.openAgentTests(context);
  if (options.record !== undefined) return await record(context, tests, options.record, options);
  if (options.live) return await tryLive(context, tests, { agentId, ...options });
  if (!options.watch) return await playOnce(context, tests, { agentId, ...options });
  return await watch(context, tests, agentId);
});

/** Throws CommandFailure if an option is given without the option that it requires. */
function checkDependencies({ record, as, live, repeat, models, yes }: TestOptions): void {
  const refuse = (name: string, needed: string) => {
    throw misuse(`${name} requires ${needed}`);
  };
  if (as !== undefined && record === undefined) refuse("--as", "--record");
  if (live) return;
  if (repeat !== undefined) refuse("--repeat", "--live");
  if (models !== undefined) refuse("--models", "--live");
  if (yes) refuse("--yes", "--live");
}

async function record(
  { output }: CommandContext,
  tests: AgentTesting,
  id: number,
  { as: name }: TestOptions,
): Promise<void> {
  const path = await tests.record(id, name === undefined ? {} : { name });
  if (output.quiet) output.line(toOneLine(path));
  else output.line(`${output.style.green("✔")} ${toOneLine(path)}`);
}

async function playOnce(
  context: CommandContext,
  tests: AgentTesting,
  { agentId, json, junit }: TestOptions & { agentId: string | undefined },
): Promise<ExitCode> {
  const { output } = context;
  const results = await tests.run(agentId);
  if (results.length === 0) throw noTests(tests, agentId);
  if (junit !== undefined) await writeFileAtomically(junit, formatJUnit(results));
  if (json) output.json(toJson(results));
  else showResults(output, results);
  const { passed, failed, unjudged } = countEnds(results);
  if (passed === 0 && unjudged > 0 && failed === 0) {
    output.notice(
      "No case passed: judges are asked with --live only. To test offline, write their answers into the case",
    );
  }
  return passed > 0 && failed === 0 ? EXIT.ok : EXIT.failed;
}

async function watch(
  context: CommandContext,
  tests: AgentTesting,
  agentId: string | undefined,
): Promise<void> {
  const { app, output } = context;
  using interrupts = listenToInterrupts(app);
  const play = async () => {
    const results = await tests.run(agentId);
    if (results.length === 0) output.notice(noTests(tests, agentId).message);
    else showResults(output, results);
    output.note("Watching the agents and their cases. Press Ctrl+C to stop");
  };
  await play();
  await tests.watch(async () => {
    output.line();
    await play();
  }, interrupts.first);
  interrupts.first.throwIfAborted();
}

/** Runs the test cases with real models. The exit code is 1 if a run fails. */
async function tryLive(
  context: CommandContext,
  tests: AgentTesting,
  { agentId, models, repeat = 1, json, yes }: TestOptions & { agentId: string | undefined },
): Promise<ExitCode> {
  const { output } = context;
  const names = (models ?? "").split(",").map((name) => name.trim()).filter((name) => name !== "");
  await using trial = await tests.openTrial(defined({ agentId, models: names, repeat }));
  const { estimate, unplayable } = trial;
  if (estimate.runs === 0 && unplayable.length === 0) throw noTests(tests, agentId);
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
  throw commandFailed("Not started: no model was called");
}

/** Returns the error if there are no test cases. It makes a CI job fail that would otherwise test nothing. */
function noTests(
  tests: Pick<AgentTesting, "agentIds" | "folder">,
  agentId: string | undefined,
): CommandFailure {
  const ids = tests.agentIds();
  if (agentId !== undefined && !ids.includes(agentId)) {
    return unknownAgent(agentId, ids.map((id) => ({ id })));
  }
  const whose = agentId === undefined ? "" : ` of ${toOneLine(agentId)}`;
  return commandFailed(
    `There are no tests${whose} in ${toOneLine(tests.folder)}. ` +
      `"inkling test --record <id>" creates one from a finished execution`,
  );
}
