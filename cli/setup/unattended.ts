// `setup --yes`: what the flags choose, where nobody is asked.
import type { CommandContext } from "../context.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { readFirstLine } from "../prompting/piped_input.ts";
import type { SetupOptions } from "./setup_options.ts";
import type {
  Installation,
  LimitName,
  ModelChoice,
  SetupChoices,
  SetupState,
} from "./installation.ts";

/** The limits that flags give. */
export function limitsOf(options: SetupOptions): Partial<Record<LimitName, string>> {
  const { timeout, maxToolCalls, maxExecutionTokens, maxCostUsd, maxTokens, temperature } = options;
  return {
    ...(timeout !== undefined && { timeout }),
    ...(maxToolCalls !== undefined && { max_tool_calls: maxToolCalls }),
    ...(maxExecutionTokens !== undefined && { max_execution_tokens: maxExecutionTokens }),
    ...(maxCostUsd !== undefined && { max_cost_usd: maxCostUsd }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

/** Everything that is to be written, from the flags and from what is set up. Throws CommandFailure for what cannot be. */
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
  const choices = {
    workspace,
    model,
    limits: limitsOf(options),
    ...(apiKey !== undefined && { apiKey }),
  };
  const problem = await installation.describeProblem(choices);
  if (problem !== undefined) throw new CommandFailure(EXIT.usage, problem);
  const { variable, required, source, foreignHost } = await installation.key(model, workspace);
  if (apiKey !== undefined && variable === null) {
    throw new CommandFailure(
      EXIT.usage,
      `${model.provider} takes no key: leave --api-key-stdin out`,
    );
  }
  if (required && apiKey === undefined && source === undefined) {
    output.warning(`${variable} is not set: no run can begin without it`);
  }
  if (foreignHost !== null) {
    output.warning(`${variable} goes to ${foreignHost}, which is not ${model.provider}'s own host`);
  }
  return choices;
}

function chooseModel(state: SetupState, options: SetupOptions): ModelChoice {
  const provider = options.provider ?? state.provider;
  if (provider === undefined) {
    const names = state.providers.map(({ name }) => name).join(", ");
    throw new CommandFailure(
      EXIT.usage,
      `Choose a model provider with --provider: ${names}, or any other name with --base-url`,
    );
  }
  const isSame = provider === state.provider;
  const suggested = state.providers.find(({ name }) => name === provider)?.suggestedModel ?? "";
  const model = options.model ?? (isSame ? state.model : undefined) ?? suggested;
  if (model === "") throw new CommandFailure(EXIT.usage, `Name the model of ${provider}: --model`);
  const baseUrl = options.baseUrl ?? (isSame ? state.baseUrl : undefined);
  return { provider, model, ...(baseUrl !== undefined && { baseUrl }) };
}
