// Asks where messages should reach the user. Returns the channel and, separately, its secret. Writes no file.
import type { Output } from "../output/output.ts";
import type { CheckAnswer, Interview } from "../prompting/interview.ts";
import type { Installation } from "../../ops/setup/installation.ts";
import type { ChannelChoice } from "../../ops/setup/setup_choices.ts";
import { toOneLine } from "../output/sanitize.ts";
import { askMail } from "./mail_questions.ts";
import { CHAT_GUIDES, type ChatGuide } from "./chat_guides.ts";

const PUBLIC_NTFY = "https://ntfy.sh";

/** The kinds of channels that the dialog offers, each with its questions. */
const KINDS = {
  later: { label: "nowhere yet", hint: "config.yaml takes a channel at any time", ask: () => {} },
  telegram: {
    label: "Telegram",
    hint: "talk with agents and answer them",
    ask: askChat("telegram"),
  },
  slack_app: { label: "Slack", hint: "talk with agents and answer them", ask: askChat("slack") },
  discord: { label: "Discord", hint: "talk with agents and answer them", ask: askChat("discord") },
  mail: {
    label: "mail",
    hint: "messages and answers by mail; mails can start agents",
    ask: askMail,
  },
  ntfy: { label: "ntfy", hint: "push messages to a phone", ask: askNtfy },
  slack: { label: "Slack webhook", hint: "messages into a channel, no answers", ask: askSlack },
  webhook: { label: "a webhook", hint: "signed JSON to an address", ask: askWebhook },
  command: { label: "a command", hint: "gets each message as JSON", ask: askCommand },
};

/** The objects that the channel questions use: the output, the prompts, the installation and the ids of the agents. */
export interface ChannelDialog {
  output: Output;
  interview: Interview;
  installation: Installation;
  agentNames: readonly string[];
}

/** Asks for a channel. Returns undefined if the user wants none now. Enter at the first question skips the others. */
export async function askChannel(dialog: ChannelDialog): Promise<ChannelChoice | undefined> {
  const kind = await dialog.interview.select({
    message: "Where should Inkling reach you when it needs you?",
    choices: Object.entries(KINDS).map(([value, { label, hint }]) => ({
      value: value as keyof typeof KINDS,
      label,
      hint,
    })),
    initial: "later",
  });
  return await KINDS[kind].ask(dialog) ?? undefined;
}

async function askNtfy({ output, interview, installation }: ChannelDialog): Promise<ChannelChoice> {
  const url = await interview.text({
    message: "ntfy server",
    initial: PUBLIC_NTFY,
    check: checks(installation, (url) => ({ type: "ntfy", topic: "topic", url })),
  });
  const topic = await interview.text({
    message: "Topic: whoever knows it can read the messages",
    initial: `inkling-${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`,
    check: checks(installation, (topic) => ({ type: "ntfy", topic })),
  });
  const token = await interview.secret({
    message: "Access token; leave empty if the topic needs none",
    check: (apiKey) => installation.describeProblem({ apiKey }),
  });
  output.sentence(`Subscribe to the topic ${topic} of ${url} on your phone`);
  const settings = { type: "ntfy", topic, ...(url !== PUBLIC_NTFY && { url }) };
  const name = "NTFY_TOKEN";
  return token === ""
    ? { name: "phone", settings }
    : { name: "phone", settings: { ...settings, token: name }, secrets: [{ name, value: token }] };
}

/** Returns the questions of a chat app: the steps in the app, its tokens, and the agent that answers. */
function askChat(app: keyof typeof CHAT_GUIDES) {
  return async (
    { output, interview, installation, agentNames }: ChannelDialog,
  ): Promise<ChannelChoice | undefined> => {
    const { name, steps, block, tokens }: ChatGuide = CHAT_GUIDES[app];
    steps.forEach((step, index) => output.sentence(`${index + 1}. ${step}`));
    if (block !== undefined) output.line(block);
    const settings: Record<string, string> = { type: app };
    const secrets: { name: string; value: string }[] = [];
    for (const { key, variable, message } of tokens) {
      const value = await interview.secret({
        message: `${message}, a secret; leave empty to skip this`,
        check: (apiKey) => installation.describeProblem({ apiKey }),
      });
      if (value === "") return undefined;
      settings[key] = variable;
      secrets.push({ name: variable, value });
    }
    const agent = agentNames.length === 0 ? "" : await interview.select({
      message: "Which agent answers your messages?",
      choices: [
        ...agentNames.map((value) => ({ value, label: toOneLine(value) })),
        { value: "", label: "none", hint: "only questions and messages arrive" },
      ],
    });
    return {
      ...{ isChat: true, name, secrets },
      settings: { ...settings, ...(agent !== "" && { agent }) },
    };
  };
}

async function askSlack(
  { interview, installation }: ChannelDialog,
): Promise<ChannelChoice | undefined> {
  const value = await interview.secret({
    message: "Address of the incoming webhook, a secret; leave empty to skip this",
    check: (apiKey) => installation.describeProblem({ apiKey }),
  });
  if (value === "") return undefined;
  const name = "SLACK_WEBHOOK_URL";
  return { name: "team", settings: { type: "slack", url: name }, secrets: [{ name, value }] };
}

async function askWebhook(
  { output, interview, installation }: ChannelDialog,
): Promise<ChannelChoice | undefined> {
  const secret = "INKLING_HOOK_SECRET";
  const toSettings = (url: string) => ({ type: "webhook", url, secret });
  const url = await interview.text({
    message: "Address of the webhook; leave empty to skip this",
    check: checks(installation, toSettings),
  });
  if (url === "") return undefined;
  output.sentence(
    `The receiver verifies messages with ${secret}, which the .env file will contain`,
  );
  const value = `whsec_${crypto.getRandomValues(new Uint8Array(32)).toBase64()}`;
  return { name: "hook", settings: toSettings(url), secrets: [{ name: secret, value }] };
}

async function askCommand(
  { interview, installation }: ChannelDialog,
): Promise<ChannelChoice | undefined> {
  const toSettings = (line: string) => ({
    ...{ type: "command", run: line.trim().split(/\s+/), allow: true },
  });
  const line = await interview.text({
    message: "Program and arguments; it reads a message as JSON; leave empty to skip this",
    placeholder: "mail -s Inkling you@example.org",
    check: checks(installation, toSettings),
  });
  return line === "" ? undefined : { name: "command", settings: toSettings(line) };
}

/**
 * Returns a check of an answer, which checks the channel settings that contain the answer. An empty answer is valid and
 * skips the channel.
 */
function checks(
  installation: Installation,
  toSettings: (answer: string) => ChannelChoice["settings"],
): CheckAnswer {
  return (answer) =>
    answer === "" ? undefined : installation.describeProblem({
      channel: { name: "x", settings: toSettings(answer) },
    });
}
