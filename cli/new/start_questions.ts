// The ways to start a new agent: the question and the words for each.
import type { CheckAnswer, Interview } from "../prompting/interview.ts";
import { toOneLine } from "../output/sanitize.ts";
import { formatLocal } from "../../present/local_time.ts";
import type { AgentAuthor, AgentStart, NewAgentFields } from "../../ops/authoring/agent_author.ts";
import { readSchedule, SCHEDULE_FORMS, type WrittenSchedule } from "./spoken_schedule.ts";
import { type TriggerType, WEBHOOK_SCHEMES } from "../../runtime/vocabulary/trigger_kinds.ts";

/** The fields of a new agent that start it. */
export type Starts = Pick<NewAgentFields, "trigger" | "after">;

interface StartQuestionsOptions {
  interview: Interview;
  author: AgentAuthor;
  id: string;
}

/** A kind of trigger, as `inkling new` offers and describes it. */
interface StartKind<Kind extends TriggerType> {
  choice: { label: string; hint?: string };
  /** Asks for the fields of the trigger. */
  ask(options: StartQuestionsOptions): Promise<Starts>;
  /** Returns the words after `It runs`. Undefined if the agent runs only on request. */
  describe(
    trigger: AgentStart["trigger"] & { type: Kind },
    nextRun: AgentStart["nextRun"],
  ): string | undefined;
}

/** The kinds of triggers, in the order of the choices. */
const START_KINDS: { [Kind in TriggerType]: StartKind<Kind> } = {
  manual: {
    choice: { label: "on request", hint: "inkling run, chat" },
    ask: () => Promise.resolve({}),
    describe: () => undefined,
  },
  schedule: {
    choice: { label: "by schedule" },
    ask: async (options) => ({ trigger: { type: "schedule", ...await askSchedule(options) } }),
    describe({ every, cron }, nextRun) {
      const next = nextRun === null
        ? "which never matches"
        : `next at ${formatLocal(new Date(nextRun).toISOString()).slice(0, -3)}`;
      return `${every === undefined ? `by cron ${cron}` : `every ${every}`}, ${next}`;
    },
  },
  watch: {
    choice: { label: "when files change" },
    ask: askWatch,
    describe: ({ paths }) => `when a file changes in ${paths.join(", ")}`,
  },
  change: {
    choice: { label: "when a page, an API or a feed changes" },
    ask: askChange,
    describe: ({ url, command, every }) => `when ${url ?? command} changes, checked every ${every}`,
  },
  mail: {
    choice: { label: "when a mail arrives" },
    ask: askMail,
    describe: ({ folder, account }) => `when a mail arrives in ${folder} of ${account}`,
  },
  webhook: {
    choice: { label: "when a request arrives", hint: "a webhook" },
    ask: askWebhook,
    describe: ({ scheme }) => `when a delivery arrives (${scheme})`,
  },
};

/** Asks what starts the agent, and returns its trigger or the agents that it runs after. */
export async function askStarts(options: StartQuestionsOptions): Promise<Starts> {
  const kinds = Object.keys(START_KINDS) as TriggerType[];
  const type = await options.interview.select({
    message: "When should it run?",
    choices: [
      ...kinds.map((value) => ({ value, ...START_KINDS[value].choice })),
      { value: "after", label: "after another agent" },
    ],
  });
  return type === "after" ? await askAfter(options) : await START_KINDS[type].ask(options);
}

/** Returns when the trigger starts the agent, such as `every 5m, next at …`. Undefined if it runs only on request. */
export function describeTrigger({ trigger, nextRun }: AgentStart): string | undefined {
  const kind: StartKind<TriggerType> = START_KINDS[trigger.type];
  return kind.describe(trigger, nextRun);
}

async function askChange(options: StartQuestionsOptions): Promise<Starts> {
  const { interview } = options;
  const toFields = (url: string, every = "1h") => ({
    trigger: { type: "change" as const, url, every },
  });
  const url = await interview.text({
    message: "Address to check",
    placeholder: "https://example.com/news",
    check: check(options, (text) => toFields(text)),
  });
  const every = await interview.text({
    message: "How often?",
    initial: "1h",
    check: check(options, (text) => toFields(url, text)),
  });
  return toFields(url, every);
}

async function askMail(options: StartQuestionsOptions): Promise<Starts> {
  const { interview, author } = options;
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
    check: check(options, (folder) => ({ trigger: toTrigger({ folder }) })),
  });
  const from = await interview.text({
    message: "Only mails from these senders, separated by commas; leave empty for any sender",
    placeholder: "bob@example.org, *@example.com",
    check: check(options, (from) => ({ trigger: toTrigger({ folder, from }) })),
  });
  return { trigger: toTrigger({ folder, from }) };
}

async function askWebhook(options: StartQuestionsOptions): Promise<Starts> {
  const { interview, id } = options;
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
    check: check(options, toFields),
  });
  return toFields(secret);
}

async function askAfter(options: StartQuestionsOptions): Promise<Starts> {
  const list = await options.interview.text({
    message: "Ids of the agents that it runs after, separated by commas",
    check: (list) =>
      splitList(list).length === 0
        ? "Name at least one agent"
        : findProblem({ after: splitList(list) }, options),
  });
  return { after: splitList(list) };
}

async function askWatch(options: StartQuestionsOptions): Promise<Starts> {
  const { interview } = options;
  const type = "watch";
  const paths = await interview.text({
    message: "Files and folders to watch, separated by commas",
    placeholder: "inbox, notes/*.md",
    check: check(options, (list) => ({ trigger: { type, paths: splitList(list) } })),
  });
  return { trigger: { type, paths: splitList(paths) } };
}

/** Returns a check for an answer. The check parses an agent file that contains the fields from `toFields`. */
export function check(
  options: Pick<StartQuestionsOptions, "author" | "id">,
  toFields: (answer: string) => Partial<NewAgentFields>,
): CheckAnswer {
  return (answer) => findProblem(toFields(answer), options);
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
