// `inkling test`: runs test cases offline or with real models, or creates a case from a finished execution.
import { performs } from "../../command_line/command.ts";
import type { test } from "../../declarations/authoring_commands.ts";
import { writeFileAtomically } from "../../../base/files/atomic_file.ts";
import type { AgentTesting } from "../../../ops/testing/agent_tests.ts";
import { type CommandContext, workspaceOf } from "../../context/context.ts";
import { CommandFailure, EXIT, type ExitCode } from "../../context/exit.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { formatJUnit } from "../../output/testing/junit.ts";
import { countEnds, showResults, toJson } from "../../output/testing/test_report.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";
import { tryLive } from "./test_live.ts";
import { noTests, type TestOptions } from "./test_options.ts";

/** Runs or records test cases, as the options say. The exit code is 1 if a case fails or no case passes. */
export const perform = performs<typeof test>(async (context, options, { agent: agentId }) => {
  const { app } = context;
  checkDependencies(options);
  await using tests = await app.openAgentTests(workspaceOf(context));
  if (options.record !== undefined) return await record(context, tests, options.record, options);
  if (options.live) return await tryLive(context, tests, { agentId, ...options });
  if (!options.watch) return await playOnce(context, tests, { agentId, ...options });
  return await watch(context, tests, agentId);
});

/** Throws CommandFailure if an option is given without the option that it requires. */
function checkDependencies({ record, as, live, repeat, models, yes }: TestOptions): void {
  const refuse = (name: string, needed: string) => {
    throw new CommandFailure(EXIT.usage, `${name} requires ${needed}`);
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
  if (results.length === 0) throw noTests(context, tests, agentId);
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
    if (results.length === 0) output.notice(noTests(context, tests, agentId).message);
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
