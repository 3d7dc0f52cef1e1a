// Asks the questions of `inkling new`. The parser of agent files checks each answer. Only the system prompt is required.
import type { SetupReport } from "../../ops/setup/setup_report.ts";
import type { CommandContext } from "../context/context.ts";
import type { Interview } from "../prompting/interview.ts";
import {
  askBaseUrl,
  askProvider,
  type ProviderDialog,
  toProviderChoice,
} from "../prompting/provider_questions.ts";
import type { AgentAuthor, NewAgentFields } from "../../ops/authoring/agent_author.ts";
import { readAllInput } from "../prompting/piped_input.ts";
import { askStarts, check, findProblem, splitList, type Starts } from "./start_questions.ts";

/** The input of askFields(). */
export interface QuestionnaireOptions {
  context: CommandContext;
  interview: Interview;
  author: AgentAuthor;
  id: string;
  /** The configuration, with the default model and the providers. */
  info: SetupReport;
  /** The answers from command line options. Their questions are skipped. */
  given: Omit<NewAgentFields, "prompt">;
}

type Fields = Omit<NewAgentFields, "prompt">;

/** The value of the choice that means config.yaml's default model. No provider has an empty name. */
const DEFAULT = "";

/** Asks for each field that no option sets, and returns all fields of the new agent. */
export async function askFields(options: QuestionnaireOptions): Promise<NewAgentFields> {
  const { given } = options;
  const questions = new Questions(options);
  const description = given.description ?? await questions.description();
  const model = given.model ?? await questions.model();
  const { trigger, after } = given.trigger === undefined && given.after === undefined
    ? await askStarts(options)
    : given;
  const starts = { ...(trigger && { trigger }), ...(after && { after }) };
  const waiting = trigger || after ? await questions.waiting(starts) : {};
  const paths = given.paths ?? await questions.paths();
  return {
    ...(description !== "" && { description }),
    ...(model !== undefined && { model }),
    ...starts,
    ...(paths.length > 0 && { paths }),
    ...waiting,
    prompt: await questions.prompt(),
  };
}

class Questions {
  readonly #options: QuestionnaireOptions;

  constructor(options: QuestionnaireOptions) {
    this.#options = options;
  }

  description(): Promise<string> {
    return this.#options.interview.text({
      message: "One-line description",
      placeholder: "Leave empty for none",
    });
  }

  async model(): Promise<Fields["model"]> {
    const { interview, info } = this.#options;
    const checkModel: ProviderDialog["check"] = (model) => findProblem({ model }, this.#options);
    const dialog: ProviderDialog = { interview, check: checkModel };
    const provider = await askProvider(dialog, {
      choices: [
        { value: DEFAULT, label: "config.yaml's default", hint: info.defaultModel ?? "none yet" },
        ...info.providers.map(toProviderChoice),
      ],
    });
    if (provider === DEFAULT) return undefined;
    // A provider that is invalid without an address is not built in, so the user is asked for its address.
    const address = await checkModel({ provider, name: "any" }) === undefined
      ? {}
      : { base_url: await askBaseUrl(dialog, { provider }) };
    const name = await interview.text({
      message: "Model",
      check: (name) => checkModel({ provider, name, ...address }),
    });
    return { provider, name, ...address };
  }

  /**
   * Asks what an agent with a trigger does when a tool needs approval: wait, start other runs meanwhile, or call the tool
   * without asking.
   */
  async waiting(
    starts: Starts,
  ): Promise<Pick<Fields, "auto_approve" | "confirm" | "on_pending">> {
    const { author, id, interview } = this.#options;
    const guards = await author.unattendedGuards(id, { ...starts, prompt: "any" });
    if (guards.length === 0) return {};
    const names = guards.map((guard) => guard === "*" ? "every tool" : guard);
    const tools = new Intl.ListFormat("en-GB").format(names);
    const choice = await interview.select({
      message:
        `The agent runs unattended, and ${tools} will ask for your approval. What should the agent do?`,
      choices: [
        { value: "wait", label: "wait for the answer, and start no other run until then" },
        { value: "parallel", label: "wait for the answer, and start other runs meanwhile" },
        { value: "approve", label: `call ${tools} without asking` },
      ],
    });
    if (choice === "approve") return { auto_approve: guards };
    return { confirm: guards, ...(choice === "parallel" && { on_pending: "parallel" as const }) };
  }

  async paths(): Promise<NonNullable<Fields["paths"]>> {
    const { interview, context } = this.#options;
    context.output.sentence(
      context.output.style.dim(
        "The agent can read and write only the paths that you name next. The agent sees which paths are for " +
          "reading and which for writing, but this is no restriction. Without any path it can use the whole workspace.",
      ),
    );
    const ask = (message: string) =>
      interview.text({
        message,
        placeholder: "Leave empty for none",
        check: check(this.#options, (list) => {
          const paths = splitList(list);
          return paths.length === 0 ? {} : { paths };
        }),
      });
    const read = splitList(await ask("Files and folders to read from, separated by commas"));
    const write = splitList(await ask("Files and folders to write to"));
    return [...new Set([...read, ...write])].map((path) => {
      const purposes = [
        ...(read.includes(path) ? ["read from"] : []),
        ...(write.includes(path) ? ["write to"] : []),
      ];
      return { path, description: `to ${purposes.join(" and ")}` };
    });
  }

  async prompt(): Promise<string> {
    const { context, interview } = this.#options;
    const { output } = context;
    output.sentence(
      `${output.style.bold("System prompt: what should the agent do?")} ` +
        output.style.dim("Type or paste any number of lines; Ctrl+D ends the text"),
    );
    for (;;) {
      const text = await readAllInput(context.app, { edited: true });
      const problem = await check(this.#options, (prompt) => ({ prompt }))(text);
      if (problem === undefined) return text;
      interview.complain(problem);
    }
  }
}
