// Makes the choices of `inkling setup --yes` without questions, from the options and the existing settings.
import { defined } from "../context/defined.ts";
import type { CommandContext } from "../context/context.ts";
import { misuse } from "../context/exit.ts";
import { readFirstLine } from "../prompting/piped_input.ts";
import { readNamedModel } from "./named_model.ts";
import type { CommandOptions } from "../command_line/command.ts";
import type { setup } from "../declarations/service_commands.ts";
import type { Installation } from "../../ops/setup/installation.ts";
import type { LimitName, ModelChoice, SetupChoices } from "../../ops/setup/setup_choices.ts";
import type { SetupState } from "../../ops/setup/setup_state.ts";

/** The options of `inkling setup`. */
export type SetupOptions = CommandOptions<typeof setup>;

/** Returns the limits that the options set, by their names in config.yaml. */
export function limitsOf(options: SetupOptions): Partial<Record<LimitName, string>> {
  const { timeout, maxToolCalls, maxExecutionTokens, maxCostUsd, maxTokens, temperature } = options;
  return defined({
    ...{ timeout, max_tool_calls: maxToolCalls, max_execution_tokens: maxExecutionTokens },
    ...{ max_cost_usd: maxCostUsd, max_tokens: maxTokens, temperature },
  });
}

/**
 * Returns the choices from the options and the existing settings, and reads the API key from stdin for --api-key-stdin.
 * Throws CommandFailure for an invalid choice.
 */
export async function readChoices(
  context: CommandContext,
  installation: Installation,
  options: SetupOptions,
): Promise<SetupChoices & { model: ModelChoice }> {
  const { app, output } = context;
  const state = await installation.read(context.workspace);
  const workspace = context.workspace ?? state.workspace;
  const model = chooseModel(state, options);
  const apiKey = options.apiKeyStdin ? await readFirstLine(app) : undefined;
  const choices = defined({ workspace, model, limits: limitsOf(options), apiKey });
  const problem = await installation.describeProblem(choices);
  if (problem !== undefined) throw misuse(problem);
  const { variable, required, source, foreignHost } = await installation.key(model, workspace);
  if (apiKey !== undefined && variable === null) {
    throw misuse(`${model.provider} needs no key: remove --api-key-stdin`);
  }
  if (required && apiKey === undefined && source === undefined) {
    output.warning(`${variable} is not set: every run will fail without it`);
  }
  if (foreignHost !== null) {
    output.warning(
      `${variable} will be sent to ${foreignHost}, which is not ${model.provider}'s own host`,
    );
  }
  return choices;
}

function chooseModel(state: SetupState, given: SetupOptions): ModelChoice {
  const options = readNamedModel(given, state.providers);
  const provider = options.provider ?? state.provider;
  if (provider === undefined) {
    const names = state.providers.map(({ name }) => name).join(", ");
    throw misuse(
      `Choose a model provider with --provider: ${names}, or any other name with --base-url`,
    );
  }
  const isSame = provider === state.provider;
  const suggested = state.providers.find(({ name }) => name === provider)?.suggestedModel ?? "";
  const model = options.model ?? (isSame ? state.model : undefined) ?? suggested;
  if (model === "") {
    throw misuse(`Choose a model of ${provider} with --model`);
  }
  const baseUrl = options.baseUrl ?? (isSame ? state.baseUrl : undefined);
  return defined({ provider, model, baseUrl });
}
