// The questions of `setup`. They write nothing: what is chosen is returned.
import type { CommandContext } from "../context.ts";
import { CommandFailure, EXIT, Interrupted } from "../exit.ts";
import { listenToInterrupts } from "../prompting/interrupts.ts";
import type { Interview } from "../prompting/interview.ts";
import { toOneLine } from "../output/sanitise.ts";
import {
  askBaseUrl,
  askProvider,
  type ProviderDialog,
  toProviderChoice,
} from "../prompting/provider_questions.ts";
import type {
  Installation,
  LimitName,
  ModelChoice,
  SetupChoices,
  SetupState,
} from "./installation.ts";

/** What `setup` asks with. */
export interface WizardOptions {
  context: CommandContext;
  interview: Interview;
  installation: Installation;
  /** Answers that were given on the command line: they are not asked for. */
  flags: SetupChoices & { provider?: string; modelName?: string; baseUrl?: string };
}

const LOCAL_URL = "http://127.0.0.1:11434/v1";

const LIMIT_QUESTIONS: readonly (readonly [LimitName, string])[] = [
  ["timeout", "Seconds to wait for one reply of the model"],
  ["max_tool_calls", "Maximum number of tool calls per run (or none)"],
  ["max_execution_tokens", "Maximum number of tokens per run (or none)"],
  ["max_cost_usd", "Maximum cost of a run in US dollars (or none)"],
  ["max_tokens", "Maximum number of tokens per reply"],
  ["temperature", "Temperature, from 0 to 1"],
];

/** Asks for everything that the flags leave open. Existing values are what Enter answers. */
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

  /** Asks until the model answers, or the person continues anyway. */
  async ask(): Promise<{ model: ModelChoice; apiKey?: string }> {
    for (;;) {
      const model = await this.#model();
      const { apiKey, isUsable } = await this.#key(model);
      const chosen = { model, ...(apiKey !== undefined && { apiKey }) };
      if (!isUsable || model.provider === "demo" || await this.#isFine(chosen)) return chosen;
    }
  }

  async #model(): Promise<ModelChoice> {
    const { interview, installation, flags, state } = this.#options;
    const dialog: ProviderDialog = {
      interview,
      check: ({ provider, name, base_url: baseUrl }) =>
        installation.describeProblem({
          model: { provider, model: name, ...(baseUrl !== undefined && { baseUrl }) },
        }),
    };
    const provider = flags.provider ?? await this.#provider(dialog);
    const isSame = provider === state.provider;
    const baseUrl = flags.baseUrl ?? await this.#baseUrl(dialog, provider);
    const place = { provider, ...(baseUrl !== undefined && { baseUrl }) };
    const known = state.providers.find(({ name }) => name === provider);
    const initial = (isSame ? state.model : undefined) ?? known?.suggestedModel ?? "";
    const check = (model: string) => installation.describeProblem({ model: { ...place, model } });
    if (flags.modelName === undefined) {
      const asked = { message: "Model", ...(initial !== "" && { initial }), check };
      return { ...place, model: await interview.text(asked) };
    }
    const problem = await check(flags.modelName);
    if (problem !== undefined) throw new CommandFailure(EXIT.usage, problem);
    return { ...place, model: flags.modelName };
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
    return askProvider(dialog, { choices, ...(initial !== undefined && { initial }) });
  }

  /** The address, where the provider's name does not say it. */
  async #baseUrl(dialog: ProviderDialog, provider: string): Promise<string | undefined> {
    const { state } = this.#options;
    const isNamed = state.providers.some(({ name }) => name === provider);
    const present = provider === state.provider ? state.baseUrl : undefined;
    if (isNamed && provider !== "local") return present;
    const initial = present ?? (isNamed ? LOCAL_URL : undefined);
    const baseUrl = await askBaseUrl(dialog, {
      provider,
      ...(initial !== undefined && { initial }),
    });
    return present === undefined && baseUrl === LOCAL_URL ? undefined : baseUrl;
  }

  async #key(model: ModelChoice): Promise<{ apiKey?: string; isUsable: boolean }> {
    const { context, interview, installation, workspace } = this.#options;
    const { variable, required, source, foreignHost } = await installation.key(model, workspace);
    if (variable === null || !required) return { isUsable: true };
    if (foreignHost !== null) {
      context.output.warning(
        `${variable} will go to ${foreignHost}, which is not ${model.provider}'s own host`,
      );
    }
    const apiKey = await interview.secret({
      message: source === undefined
        ? `API key (${variable}); leave empty to add it later`
        : `API key (${variable}); leave empty to keep the one in ${toOneLine(source)}`,
      check: async (key) =>
        key === "" ? undefined : await installation.describeProblem({ apiKey: key }),
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

/** Has the model answer once. Says why it did not; rejects with Interrupted at Ctrl+C. */
export async function tryModel(
  { app, output }: CommandContext,
  installation: Installation,
  choices: SetupChoices & { model: ModelChoice },
): Promise<string | undefined> {
  const { provider, model } = choices.model;
  output.note(`Asking ${provider}/${model}…`);
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
  const shown = LIMIT_QUESTIONS.map(([name]) => `${name} ${limits[name]}`).join(", ");
  context.output.sentence(context.output.style.dim(`Run limits: ${shown}`));
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
