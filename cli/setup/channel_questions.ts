// Asks where messages should reach the user. Returns the channel and, separately, its secret. Writes no file.
import type { Output } from "../output/output.ts";
import type { CheckAnswer, Interview } from "../prompting/interview.ts";
import type { Installation } from "../../ops/setup/installation.ts";
import type { ChannelChoice } from "../../ops/setup/setup_choices.ts";

const PUBLIC_NTFY = "https://ntfy.sh";

/** The kinds of channels that the dialog offers. */
type OfferedKind = "later" | "ntfy" | "slack" | "webhook" | "command";

const KINDS: readonly { value: OfferedKind; label: string; hint: string }[] = [
  { value: "later", label: "nowhere yet", hint: "config.yaml takes a channel at any time" },
  { value: "ntfy", label: "ntfy", hint: "push messages to a phone" },
  { value: "slack", label: "Slack", hint: "an incoming webhook" },
  { value: "webhook", label: "a webhook", hint: "signed JSON to an address" },
  { value: "command", label: "a command", hint: "such as mail" },
];

/** The objects that the channel questions use: the output, the prompts and the installation. */
export interface ChannelDialog {
  output: Output;
  interview: Interview;
  installation: Installation;
}

/** Asks for a channel. Returns undefined if the user wants none now. Enter at the first question skips the others. */
export async function askChannel(dialog: ChannelDialog): Promise<ChannelChoice | undefined> {
  const kind = await dialog.interview.select({
    message: "Where should Inkling reach you when it needs you?",
    choices: KINDS,
    initial: "later",
  });
  switch (kind) {
    case "later":
      return undefined;
    case "ntfy":
      return await askNtfy(dialog);
    case "slack":
      return await askSlack(dialog);
    case "webhook":
      return await askWebhook(dialog);
    case "command":
      return await askCommand(dialog);
    default:
      return kind satisfies never;
  }
}

async function askNtfy({ output, interview, installation }: ChannelDialog): Promise<ChannelChoice> {
  const url = await interview.text({
    message: "ntfy server",
    initial: PUBLIC_NTFY,
    check: checks(installation, (url) => ({ type: "ntfy", topic: "topic", url })),
  });
  const topic = await interview.text({
    message: "Topic: whoever knows it can read the messages",
    initial: `inkling-${randomText(9).toLowerCase().replaceAll(/[^a-z0-9]/g, "x")}`,
    check: checks(installation, (topic) => ({ type: "ntfy", topic })),
  });
  const token = await interview.secret({
    message: "Access token; leave empty if the topic needs none",
    check: checkSecret(installation),
  });
  output.sentence(`Subscribe to the topic ${topic} of ${url} on your phone`);
  const place = url === PUBLIC_NTFY ? {} : { url };
  if (token === "") return { name: "phone", settings: { type: "ntfy", topic, ...place } };
  return {
    name: "phone",
    settings: { type: "ntfy", topic, ...place, token: "NTFY_TOKEN" },
    secret: { name: "NTFY_TOKEN", value: token },
  };
}

async function askSlack(
  { interview, installation }: ChannelDialog,
): Promise<ChannelChoice | undefined> {
  const value = await interview.secret({
    message: "Address of the incoming webhook, a secret; leave empty to skip this",
    check: checkSecret(installation),
  });
  if (value === "") return undefined;
  const name = "SLACK_WEBHOOK_URL";
  return { name: "team", settings: { type: "slack", url: name }, secret: { name, value } };
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
  return { name: "hook", settings: toSettings(url), secret: { name: secret, value } };
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
  return async (answer) =>
    answer === "" ? undefined : await installation.describeProblem({
      channel: { name: "x", settings: toSettings(answer) },
    });
}

function checkSecret(installation: Installation): CheckAnswer {
  return async (secret) =>
    secret === "" ? undefined : await installation.describeProblem({ apiKey: secret });
}

function randomText(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toBase64({ alphabet: "base64url" });
}
