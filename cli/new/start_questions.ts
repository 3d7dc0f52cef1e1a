// Asks what starts a new agent.
import type { CheckAnswer, Interview } from "../prompting/interview.ts";
import { toOneLine } from "../output/sanitize.ts";
import type { AgentAuthor, NewAgentFields } from "../../ops/authoring/agent_author.ts";
import { readSchedule, SCHEDULE_FORMS, type WrittenSchedule } from "./spoken_schedule.ts";
import { WEBHOOK_SCHEMES } from "../../runtime/vocabulary/trigger_kinds.ts";

/** The fields of a new agent that start it. */
export type Starts = Pick<NewAgentFields, "trigger" | "after">;

interface StartQuestionsOptions {
  interview: Interview;
  author: AgentAuthor;
  id: string;
}

/** The questions about the trigger of a new agent. */
export class StartQuestions {
  readonly #options: StartQuestionsOptions;

  constructor(options: StartQuestionsOptions) {
    this.#options = options;
  }

  /** Asks what starts the agent, and returns its trigger or the agents that it runs after. */
  async ask(): Promise<Starts> {
    const { interview } = this.#options;
    const type = await interview.select({
      message: "When should it run?",
      choices: [
        { value: "manual", label: "on request", hint: "inkling run, chat" },
        { value: "schedule", label: "by schedule" },
        { value: "watch", label: "when files change" },
        { value: "change", label: "when a page, an API or a feed changes" },
        { value: "mail", label: "when a mail arrives" },
        { value: "webhook", label: "when a request arrives", hint: "a webhook" },
        { value: "after", label: "after another agent" },
      ],
    });
    switch (type) {
      case "manual":
        return {};
      case "schedule":
        return { trigger: { type: "schedule", ...await askSchedule(this.#options) } };
      case "webhook":
        return await this.#webhook();
      case "change":
        return await this.#change();
      case "mail":
        return await this.#mail();
      case "after":
        return await this.#after();
      default:
        return await this.#watch();
    }
  }

  async #change(): Promise<Starts> {
    const { interview } = this.#options;
    const toFields = (url: string, every = "1h") => ({
      trigger: { type: "change" as const, url, every },
    });
    const url = await interview.text({
      message: "Address to check",
      placeholder: "https://example.com/news",
      check: this.#check((text) => toFields(text)),
    });
    const every = await interview.text({
      message: "How often?",
      initial: "1h",
      check: this.#check((text) => toFields(url, text)),
    });
    return toFields(url, every);
  }

  async #mail(): Promise<Starts> {
    const { interview, author } = this.#options;
    const accounts = author.mailAccounts();
    const account = accounts.length > 0
      ? await interview.select({
        message: "Which mail account?",
        choices: accounts.map((value) => ({ value, label: toOneLine(value) })),
      })
      : await interview.text({
        message: "Name of the mail account (config.yaml has none yet; see docs/reference/mail.md)",
        initial: "home",
      });
    const toTrigger = ({ folder = "INBOX", from = "" }) => {
      const senders = splitList(from);
      return {
        type: "mail" as const,
        account,
        ...(folder !== "INBOX" && { folder }),
        ...(senders.length > 0 && { from: senders }),
      };
    };
    const folder = await interview.text({
      message: "Folder",
      initial: "INBOX",
      check: this.#check((folder) => ({ trigger: toTrigger({ folder }) })),
    });
    const from = await interview.text({
      message: "Only mails from these senders, separated by commas; leave empty for any sender",
      placeholder: "bob@example.org, *@example.com",
      check: this.#check((from) => ({ trigger: toTrigger({ folder, from }) })),
    });
    return { trigger: toTrigger({ folder, from }) };
  }

  async #webhook(): Promise<Starts> {
    const { interview, id } = this.#options;
    const scheme = await interview.select({
      message: "How does the sender authenticate?",
      choices: WEBHOOK_SCHEMES.map((value) => ({ value, label: value })),
    });
    const toFields = (secret: string) => ({
      trigger: { type: "webhook" as const, scheme, secret },
    });
    const secret = await interview.text({
      message: "Name of the variable with the secret (its value belongs in the environment file)",
      initial: toSecretName(id),
      check: this.#check(toFields),
    });
    return toFields(secret);
  }

  async #after(): Promise<Starts> {
    const list = await this.#options.interview.text({
      message: "Ids of the agents that it runs after, separated by commas",
      check: async (list) =>
        splitList(list).length === 0
          ? "Name at least one agent"
          : await this.#check((list) => ({ after: splitList(list) }))(list),
    });
    return { after: splitList(list) };
  }

  async #watch(): Promise<Starts> {
    const { interview } = this.#options;
    const type = "watch";
    const paths = await interview.text({
      message: "Files and folders to watch, separated by commas",
      placeholder: "inbox, notes/*.md",
      check: this.#check((list) => ({ trigger: { type, paths: splitList(list) } })),
    });
    return { trigger: { type, paths: splitList(paths) } };
  }

  #check(toFields: (answer: string) => Starts): CheckAnswer {
    return (answer) => findProblem(toFields(answer), this.#options);
  }
}

/** Asks for a schedule until the parser of agent files accepts it. */
export async function askSchedule(options: StartQuestionsOptions): Promise<WrittenSchedule> {
  const text = await options.interview.text({
    message: "How often? For example: 30m, 1d, every weekday at 8, or a cron expression",
    async check(text) {
      const schedule = readSchedule(text);
      if (schedule === undefined) return `This is not a schedule. Write ${SCHEDULE_FORMS}`;
      return await findProblem({ trigger: { type: "schedule", ...schedule } }, options);
    },
  });
  return readSchedule(text) as WrittenSchedule;
}

/** Returns the first problem of an agent file that contains these fields, or undefined. */
export async function findProblem(
  fields: Partial<NewAgentFields>,
  { author, id }: Pick<StartQuestionsOptions, "author" | "id">,
): Promise<string | undefined> {
  const [problem] = await author.findProblems(id, { prompt: "any", ...fields });
  return problem && toOneLine(problem);
}

/** Returns a variable name for the webhook secret of an agent, such as `MY_AGENT_SECRET` for `my agent`. */
function toSecretName(id: string): string {
  return `${id.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_").replace(/^(?=\d|$)/, "AGENT_")}_SECRET`;
}

/** Returns the parts of a list that is separated by commas. */
export function splitList(text: string): string[] {
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}
