// Asks the questions of `inkling setup`. Returns the user's choices, and writes no file.
import { defined } from "../context/defined.ts";
import type { CommandContext } from "../context/context.ts";
import { Interrupted, misuse } from "../context/exit.ts";
import { listenToInterrupts } from "../prompting/interrupts.ts";
import type { Choice } from "../context/input.ts";
import type { CheckAnswer, Interview } from "../prompting/interview.ts";
import { toOneLine } from "../output/sanitize.ts";
import {
  askBaseUrl,
  askProvider,
  OTHER_PROVIDER,
  type ProviderDialog,
  toProviderChoice,
} from "../prompting/provider_questions.ts";
import type { Installation, OfferedModel } from "../../ops/setup/installation.ts";
import type { LimitName, ModelChoice, SetupChoices } from "../../ops/setup/setup_choices.ts";
import type { SetupState } from "../../ops/setup/setup_state.ts";

/** The input of `askChoices`: the dialog, the existing installation, and the answers from options. */
export interface WizardOptions {
  context: CommandContext;
  interview: Interview;
  installation: Installation;
  /** The answers from command line options. Their questions are skipped. */
  flags: SetupChoices & { provider?: string; modelName?: string; baseUrl?: string };
}

const LOCAL_URL = "http://127.0.0.1:11434/v1";

/**
 * The limits that the wizard asks for, with their questions. The other limits can only be set by options or in config.yaml.
 */
const LIMIT_QUESTIONS: readonly (readonly [LimitName, string])[] = [
  ["timeout", "How long may the model take for one reply, in seconds?"],
  ["max_cost_usd", "How much may one run cost, in US dollars? (none: no limit)"],
];

/**
 * Asks each question that no option answers. Enter keeps the existing value. Throws Interrupted if the user declines to
 * write the files.
 */
export async function askChoices(options: WizardOptions): Promise<SetupChoices> {
  const { installation, interview, flags } = options;
  const workspace = flags.workspace ?? await interview.text({
    message: "Workspace: the folder for your agents and the files they work on",
    initial: (await installation.read()).workspace,
    check: (workspace) => installation.describeProblem({ workspace }),
  });
  const state = await installation.read(workspace);
  const chosen = await new ModelQuestions({ ...options, state, workspace }).ask();
  const limits = await askLimits(options, { ...state.limits, ...flags.limits });
  const choices = { workspace, ...chosen, limits: { ...flags.limits, ...limits } };
  const files = `${toOneLine(state.configFile)} and the workspace`;
  if (!await interview.confirm(`Write ${files}?`, { initial: true })) throw new Interrupted();
  return choices;
}

class ModelQuestions {
  readonly #options: WizardOptions & { state: SetupState; workspace: string };

  constructor(options: WizardOptions & { state: SetupState; workspace: string }) {
    this.#options = options;
  }

  /**
   * Asks for the model and its key. Repeats the questions after a failed test call, until a call succeeds or the user
   * continues.
   */
  async ask(): Promise<{ model: ModelChoice; apiKey?: string }> {
    for (;;) {
      const model = await this.#model();
      const { apiKey, isUsable } = await this.#key(model);
      const chosen = defined({ model, apiKey });
      if (!isUsable || model.provider === "demo" || await this.#isFine(chosen)) return chosen;
    }
  }

  async #model(): Promise<ModelChoice> {
    const { interview, installation, flags, state } = this.#options;
    const dialog: ProviderDialog = {
      interview,
      check: ({ provider, name, base_url: baseUrl }) =>
        installation.describeProblem({ model: defined({ provider, model: name, baseUrl }) }),
    };
    const provider = flags.provider ?? await this.#provider(dialog);
    const isSame = provider === state.provider;
    const baseUrl = flags.baseUrl ?? await this.#baseUrl(dialog, provider);
    const place = defined({ provider, baseUrl });
    const known = state.providers.find(({ name }) => name === provider);
    const initial = (isSame ? state.model : undefined) ?? known?.suggestedModel ?? "";
    const check = (model: string) => installation.describeProblem({ model: { ...place, model } });
    if (flags.modelName === undefined) {
      return { ...place, model: await this.#modelName(provider, { initial, check }) };
    }
    const problem = await check(flags.modelName);
    if (problem !== undefined) throw misuse(problem);
    return { ...place, model: flags.modelName };
  }

  /** Asks for a model name: a choice from the known models of the provider, or a typed name. */
  async #modelName(
    provider: string,
    { initial, check }: { initial: string; check: CheckAnswer },
  ): Promise<string> {
    const { interview, installation } = this.#options;
    const offered = await installation.models(provider);
    if (offered.length > 0) {
      const isFirst = ({ name }: OfferedModel) => Number(name === initial);
      const known = offered.toSorted((a, b) => isFirst(b) - isFirst(a)).map(toModelChoice);
      const isKnown = initial === "" || offered.some(({ name }) => name === initial);
      const picked = await interview.select({
        message: "Model",
        choices: [
          ...(isKnown ? [] : [{ value: initial, label: toOneLine(initial) }]),
          ...known,
          { value: OTHER_PROVIDER, label: "another", hint: "type its name" },
        ],
        ...(initial !== "" && { initial }),
      });
      if (picked !== OTHER_PROVIDER) return picked;
    }
    return await interview.text({
      message: "Model",
      ...(offered.length === 0 && initial !== "" && { initial }),
      check,
    });
  }

  #provider(dialog: ProviderDialog): Promise<string> {
    const { state } = this.#options;
    const choices = state.providers.map(toProviderChoice);
    const { provider } = state;
    if (provider !== undefined && !choices.some(({ value }) => value === provider)) {
      choices.push({ value: provider, label: toOneLine(provider), hint: state.baseUrl ?? "" });
    }
    const withKey = state.providers.find(({ keyVariable, hasKey }) => keyVariable && hasKey);
    const initial = provider ?? withKey?.name;
    return askProvider(dialog, defined({ choices, initial }));
  }

  /**
   * Asks for the provider's API address if the provider is `local` or is not built in. For other providers it returns the
   * configured address, or undefined.
   */
  async #baseUrl(dialog: ProviderDialog, provider: string): Promise<string | undefined> {
    const { state } = this.#options;
    const isNamed = state.providers.some(({ name }) => name === provider);
    const present = provider === state.provider ? state.baseUrl : undefined;
    if (isNamed && provider !== "local") return present;
    const initial = present ?? (isNamed ? LOCAL_URL : undefined);
    const baseUrl = await askBaseUrl(dialog, defined({ provider, initial }));
    return present === undefined && baseUrl === LOCAL_URL ? undefined : baseUrl;
  }

  async #key(model: ModelChoice): Promise<{ apiKey?: string; isUsable: boolean }> {
    const { context, interview, installation, workspace } = this.#options;
    const { variable, required, source, foreignHost } = await installation.key(model, workspace);
    if (variable === null || !required) return { isUsable: true };
    if (foreignHost !== null) {
      context.output.warning(
        `${variable} will be sent to ${foreignHost}, which is not ${model.provider}'s own host`,
      );
    }
    const apiKey = await interview.secret({
      message: source === undefined
        ? `API key (${variable}); leave empty to add it later`
        : `API key (${variable}); leave empty to keep the one in ${toOneLine(source)}`,
      check: (apiKey) => installation.describeProblem({ apiKey }),
    });
    return apiKey === "" ? { isUsable: source !== undefined } : { apiKey, isUsable: true };
  }

  async #isFine(chosen: { model: ModelChoice; apiKey?: string }): Promise<boolean> {
    const { context, interview, workspace } = this.#options;
    if (!await interview.confirm("Test the model with one short call?", { initial: true })) {
      return true;
    }
    const failure = await tryModel(context, this.#options.installation, { ...chosen, workspace });
    if (failure === undefined) {
      context.output.line(`${context.output.style.green("✔")} The model answers`);
      return true;
    }
    interview.complain(failure);
    const next = await interview.select({
      message: "What next?",
      choices: [
        { value: "again", label: "Choose the model and key again" },
        { value: "on", label: "Continue anyway" },
      ],
    });
    return next === "on";
  }
}

/** Converts a model to a choice of a menu. The hint is the model's price, if known. */
function toModelChoice({ name, inputPrice, outputPrice }: OfferedModel): Choice {
  if (inputPrice === undefined || outputPrice === undefined) return { value: name, label: name };
  const [input, output] = [inputPrice, outputPrice].map((price) => `$${Number(price.toFixed(3))}`);
  return { value: name, label: name, hint: `${input} in, ${output} out per million tokens` };
}

/** Calls the model once. Returns the error message if the call fails, or undefined. Rejects with Interrupted at Ctrl+C. */
export async function tryModel(
  { app, output }: CommandContext,
  installation: Installation,
  choices: SetupChoices & { model: ModelChoice },
): Promise<string | undefined> {
  const { provider, model } = choices.model;
  output.note(`Testing ${provider}/${model}…`);
  using interrupts = listenToInterrupts(app);
  try {
    await installation.tryModel(choices, interrupts.first);
    return undefined;
  } catch (error) {
    if (interrupts.first.aborted || !(error instanceof Error)) throw error;
    return error.message;
  }
}

async function askLimits(
  { context, interview, installation }: WizardOptions,
  limits: Readonly<Record<LimitName, string>>,
): Promise<Partial<Record<LimitName, string>>> {
  const { output } = context;
  output.sentence(output.style.dim(`Limits of a run: ${describeLimits(limits)}`));
  if (!await interview.confirm("Change the limits?", { initial: false })) return {};
  const changed: Partial<Record<LimitName, string>> = {};
  for (const [name, message] of LIMIT_QUESTIONS) {
    const answer = await interview.text({
      message,
      initial: limits[name],
      check: (value) => installation.describeProblem({ limits: { [name]: value } }),
    });
    if (answer !== limits[name]) changed[name] = answer;
  }
  return changed;
}

/** Formats the limits of a run as a comma-separated text. */
function describeLimits(limits: Readonly<Record<LimitName, string>>): string {
  const { timeout, max_cost_usd: cost, max_tool_calls: calls, max_execution_tokens: tokens } =
    limits;
  const orAny = (limit: string, unit: string) =>
    limit === "none" ? `any number of ${unit}` : `${limit} ${unit}`;
  return [
    `${timeout} seconds for each model reply`,
    cost === "none" ? "any cost" : `$${cost}`,
    orAny(calls, "tool calls"),
    orAny(tokens, "tokens"),
  ].join(", ");
}
