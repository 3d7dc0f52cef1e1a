// The questions of `new`. Each answer is checked as the file's parser would; only the system prompt is required.
import type { InfoReport } from "../app.ts";
import type { CommandContext } from "../context.ts";
import type { CheckAnswer, Interview } from "../interview.ts";
import { toOneLine } from "../output/sanitise.ts";
import type { AgentAuthor, NewAgentFields } from "./agent_author.ts";
import { readTypedLines } from "./typed_lines.ts";

/** What `new` asks with. */
export interface QuestionnaireOptions {
  context: CommandContext;
  interview: Interview;
  author: AgentAuthor;
  id: string;
  /** What is configured: the default model and the providers. */
  info: InfoReport;
  /** Answers that were given on the command line: they are not asked for. */
  given: Omit<NewAgentFields, "prompt">;
}

type Fields = Omit<NewAgentFields, "prompt">;

const DEFAULT = "";
const OTHER = "other…";

/** Asks for every field that is not given. */
export async function askFields(options: QuestionnaireOptions): Promise<NewAgentFields> {
  const { given } = options;
  const questions = new Questions(options);
  const description = given.description ?? await questions.description();
  const model = given.model ?? await questions.model();
  const trigger = given.trigger ?? await questions.trigger();
  const paths = given.paths ?? await questions.paths();
  return {
    ...(description !== "" && { description }),
    ...(model !== undefined && { model }),
    ...(trigger !== undefined && { trigger }),
    ...(paths.length > 0 && { paths }),
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
      message: "What is it for? A line for lists",
      placeholder: "Enter alone: no description",
    });
  }

  async model(): Promise<Fields["model"]> {
    const { interview, info } = this.#options;
    const provider = await interview.select({
      message: "Who runs its model?",
      choices: [
        { value: DEFAULT, label: "config.yaml's default", hint: info.defaultModel ?? "none yet" },
        ...info.providers.map(({ name, keyVariable, hasKey }) => ({
          value: name,
          label: name,
          hint: keyVariable === null || hasKey ? "" : `needs ${keyVariable}`,
        })),
        { value: OTHER, label: "another", hint: "any OpenAI-compatible endpoint" },
      ],
    });
    if (provider === DEFAULT) return undefined;
    const owner = provider === OTHER ? await this.#name() : provider;
    const address = await this.#address(owner);
    const name = await interview.text({
      message: "Model",
      check: this.#check((name) => ({ model: { provider: owner, name, ...address } })),
    });
    return { provider: owner, name, ...address };
  }

  #name(): Promise<string> {
    return this.#options.interview.text({
      message: "A name for it; its key is then <NAME>_API_KEY",
      check: this.#check((provider) => ({
        model: { provider, name: "any", base_url: "http://localhost" },
      })),
    });
  }

  /** The provider's address, where its name does not say it. */
  async #address(provider: string): Promise<{ base_url?: string }> {
    const problem = await this.#check((name) => ({ model: { provider, name } }))("any");
    if (problem === undefined) return {};
    const base_url = await this.#options.interview.text({
      message: "Its address",
      placeholder: "https://models.example/v1",
      check: this.#check((base_url) => ({ model: { provider, name: "any", base_url } })),
    });
    return { base_url };
  }

  async trigger(): Promise<Fields["trigger"]> {
    const { interview } = this.#options;
    const type = await interview.select({
      message: "When does it run?",
      choices: [
        { value: "manual", label: "on request", hint: "inkling run, chat" },
        { value: "schedule", label: "by schedule" },
        { value: "watch", label: "when files change" },
      ],
    });
    if (type === "manual") return undefined;
    if (type === "schedule") {
      return toSchedule(
        await interview.text({
          message: "How often? An interval (30m, 1h30m, 1d), or a cron expression (30 8 * * 1-5)",
          check: this.#check((schedule) => ({ trigger: toSchedule(schedule) })),
        }),
      );
    }
    const paths = await interview.text({
      message: "Which files and folders does it watch? Commas between them",
      placeholder: "inbox, notes/*.md",
      check: this.#check((list) => ({ trigger: { type, paths: splitList(list) } })),
    });
    return { type, paths: splitList(paths) };
  }

  async paths(): Promise<NonNullable<Fields["paths"]>> {
    const { interview, context } = this.#options;
    context.output.line(
      context.output.style.dim(
        "What you name next is all that it reaches, for reading and writing alike; the agent is\n" +
          "told which is meant for what. Without any path it reaches the whole workspace.",
      ),
    );
    const ask = (message: string) =>
      interview.text({
        message,
        placeholder: "Enter alone: none",
        check: this.#check((list) => ({ paths: splitList(list) })),
      });
    const read = splitList(await ask("Files and folders to read from? Commas between them"));
    const write = splitList(await ask("Files and folders to write to?"));
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
    output.line(
      `${output.style.bold("The system prompt: what is it to do?")} ` +
        output.style.dim("Type or paste as many lines as you like; Ctrl+D ends it"),
    );
    for (;;) {
      const text = await readTypedLines(context);
      const problem = await this.#check((prompt) => ({ prompt }))(text);
      if (problem === undefined) return text;
      interview.complain(problem);
    }
  }

  /** Whether a file with these fields would be an agent. */
  #check(toFields: (answer: string) => Partial<NewAgentFields>): CheckAnswer {
    const { author, id } = this.#options;
    return async (answer) => {
      const [problem] = await author.findProblems(id, { prompt: "any", ...toFields(answer) });
      return problem && toOneLine(problem);
    };
  }
}

function toSchedule(text: string): NonNullable<Fields["trigger"]> {
  const isCron = /\s/.test(text) || text.startsWith("@");
  return { type: "schedule", ...(isCron ? { cron: text } : { every: text }) };
}

function splitList(text: string): string[] {
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}
