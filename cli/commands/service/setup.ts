// `inkling setup`: collects the workspace, model, key and limits from questions or options, and merges them into the
// existing files. It writes nothing until all answers are complete.
import { defined } from "../../context/defined.ts";
import { performs } from "../../command_line/command.ts";
import type { setup } from "../../declarations/service_commands.ts";
import { type CommandContext, commandFailed, Interrupted, misuse } from "../../context/context.ts";
import { Interview } from "../../prompting/interview.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";
import type { Installation, SetupResult } from "../../../ops/setup/installation.ts";
import type { SetupChoices } from "../../../ops/setup/setup_choices.ts";
import { offerLastSteps } from "../../setup/last_steps.ts";
import { limitsOf, readChoices, type SetupOptions } from "../../setup/unattended.ts";
import { askChoices, tryModel } from "../../setup/wizard.ts";
import { toAgentWord } from "../../command_line/agent_word.ts";
import { healthOf } from "../../service/connection.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { applyToService } from "./service_restart.ts";

/** Collects the choices, writes the files, and prints the next commands. */
export const perform = performs<typeof setup>(async (context, options) => {
  const { app, output } = context;
  const installation = await app.openInstallation();
  let choices: SetupChoices;
  try {
    choices = options.yes
      ? await chooseUnattended(context, installation, options)
      : await ask(context, installation, options);
  } catch (error) {
    if (error instanceof Interrupted) output.note("Nothing was written");
    throw error;
  }
  let result: SetupResult;
  {
    // Ctrl+C is ignored until all files are written.
    using _ = listenToInterrupts(app);
    result = await installation.write(choices);
  }
  await reportSetup(context, result, { asked: !options.yes });
  if (options.yes) return;
  try {
    // config.yaml now names the chosen workspace.
    await offerLastSteps({ app, output }, installation);
  } catch (error) {
    if (error instanceof Interrupted) {
      output.note('All files are written. "inkling setup" offers the other steps again');
    }
    throw error;
  }
});

async function chooseUnattended(
  context: CommandContext,
  installation: Installation,
  options: SetupOptions,
): Promise<SetupChoices> {
  const choices = await readChoices(context, installation, options);
  const failure = options.test ? await tryModel(context, installation, choices) : undefined;
  if (failure !== undefined) {
    throw commandFailed(`Nothing was written: ${failure}`);
  }
  return choices;
}

async function ask(
  context: CommandContext,
  installation: Installation,
  options: SetupOptions,
): Promise<SetupChoices> {
  if (options.apiKeyStdin || options.test) {
    throw misuse("--api-key-stdin and --test require --yes");
  }
  const { workspace } = context;
  const { provider, model, baseUrl } = options;
  const interview = new Interview(context, "Use --yes, with --provider and --model");
  const limits = limitsOf(options);
  const given = defined({ workspace, limits });
  const problem = await installation.describeProblem(given);
  if (problem !== undefined) throw misuse(problem);
  return await askChoices({
    context,
    interview,
    installation,
    flags: { ...given, ...defined({ provider, modelName: model, baseUrl }) },
  });
}

/**
 * Prints the written files, notes about them, and the next commands. `asked` is true if the user answered questions in the
 * terminal.
 */
async function reportSetup(
  context: CommandContext,
  result: SetupResult,
  { asked }: { asked: boolean },
): Promise<void> {
  const { output } = context;
  const { green, dim } = output.style;
  for (const { path, change } of result.files) {
    output.detail(`${green("✔")} ${toOneLine(path)} ${dim(change)}`);
  }
  if (result.formerWorkspace !== undefined) {
    output.note(
      `${result.formerWorkspace} keeps its own history: "inkling logs <agent> -w <folder>" shows it`,
    );
    if (await healthOf(context.app, result.formerWorkspace) !== "absent") {
      output.note('Its service is still running: "inkling stop -w <folder>" stops it');
    }
  }
  // Omits the --workspace option from the context, because config.yaml now contains the chosen workspace.
  const { app } = context;
  await applyToService({ app, output }, {
    hasChanged: result.files.some(({ change }) => change !== "unchanged"),
    asked,
  });
  const agent = result.sampleAgentId;
  output.detail("");
  if (agent !== undefined) {
    output.detail(`Your first agent:      inkling run ${toAgentWord(agent)}`);
  }
  output.detail("An agent of your own:  inkling new <name>");
}
