// Defines `notify` in config.yaml and in agent files: the kinds of messages and their channels.
import { z } from "zod";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { isJsonObject, objectIn } from "../../base/json.ts";
import { addressOf } from "../../base/text/mail_address.ts";
import { nearestHint } from "../../base/text/suggestion.ts";
import type { ChatSettings } from "./chat_schema.ts";
import type { MailAccount } from "./mail_schema.ts";
import {
  baseUrl,
  channelName,
  field,
  filledText,
  oneOrMore,
  optional,
  pathText,
  section,
  textList,
  variableName,
  zoneName,
} from "./fields.ts";
import { diagnose, type DiagnosedFile } from "./files/diagnosed_file.ts";
import { showValue } from "./files/shown_value.ts";

/** The kinds of messages. */
export const NOTIFY_KINDS = ["waiting", "error", "success", "budget", "missed", "loop"] as const;
/** A value of NOTIFY_KINDS. */
export type NotifyKind = typeof NOTIFY_KINDS[number];

const kinds = z.array(z.enum(NOTIFY_KINDS));

/** The types of channels. */
export const CHANNEL_TYPES = [
  "ntfy",
  "slack",
  "webhook",
  "mail",
  "command",
  "desktop",
] as const;

/** The required and optional keys of each channel type. */
const KEYS: Readonly<
  Record<typeof CHANNEL_TYPES[number], { must: readonly string[]; may: readonly string[] }>
> = {
  ntfy: { must: ["topic"], may: ["url", "token"] },
  slack: { must: ["url"], may: [] },
  webhook: { must: ["url", "secret"], may: [] },
  mail: { must: ["account", "to"], may: [] },
  command: { must: ["run"], may: ["allow"] },
  desktop: { must: [], may: [] },
};

const PUBLIC_NTFY = "https://ntfy.sh";

/**
 * The schema of a channel in config.yaml. It is one map for all types, so that a key of another type is reported at its
 * position.
 */
export const writtenChannel = z.object({
  type: z.enum(CHANNEL_TYPES).meta({ description: "The kind of channel", default: "required" }),
  topic: optional(
    z.string().regex(/^[-_A-Za-z0-9]{1,64}$/, "must be 1 to 64 letters, digits, - and _"),
  ).meta({
    description:
      "ntfy: the topic; everybody who knows it can read it, unless the server requires a token",
  }),
  url: optional(filledText).meta({
    description:
      "ntfy: the server; webhook: the address; slack: the **variable** that holds the address",
    default: "ntfy: `https://ntfy.sh`",
  }),
  token: optional(variableName).meta({
    description: "ntfy: the variable that holds the access token",
  }),
  secret: optional(variableName).meta({
    description: "webhook: the variable that holds the signing secret, `whsec_…`",
  }),
  account: optional(filledText).meta({
    description: "mail: the account that sends, from `mail`; replies to it answer questions",
  }),
  to: optional(
    oneOrMore(
      z.string().refine((text) => addressOf(text) !== undefined, "must be a mail address"),
    ),
  ).meta({ values: "text or list", description: "mail: the addresses that get the messages" }),
  run: optional(z.array(pathText)).meta({
    description: "command: the program and its arguments; no shell is used",
  }),
  allow: optional(z.boolean()).meta({
    description: "command: `true` lets Inkling start the program; otherwise the channel is off",
  }),
});

type WrittenChannel = z.output<typeof writtenChannel>;

const channel = writtenChannel.transform((written, context) => {
  for (const issue of channelIssues(written)) context.addIssue({ code: "custom", ...issue });
  const { type, topic = "", url = "", token, secret = "", run = [], allow = false } = written;
  const { account = "", to = [] } = written;
  switch (type) {
    case "ntfy":
      return {
        type,
        topic,
        url: url === "" ? PUBLIC_NTFY : url.replace(/\/+$/, ""),
        ...(token !== undefined && { token }),
      };
    case "slack":
      return { type, url };
    case "webhook":
      return { type, url, secret };
    case "mail":
      return { type, account, to: to.map((one) => one.trim().toLowerCase()) };
    case "command":
      return { type, run, allow };
    case "desktop":
      return { type };
  }
  return type satisfies never;
});

/** The settings of a channel. `token`, `secret`, and the `url` of Slack are names of variables with secret values. */
type PlainChannel = z.output<typeof channel>;

/** The settings of a channel or a chat. */
export type ChannelSettings = PlainChannel | ({ type: "chat" } & ChatSettings);

/** A channel that sends mails from an account of config.yaml. Only replies from an address in `to` are answers. */
export type MailChannel = Extract<PlainChannel, { type: "mail" }>;

/** Returns the problems of a channel that depend on its type, such as a missing or a superfluous key. */
function channelIssues(
  written: WrittenChannel,
): { path: string[]; message: string; params?: { hideValue: true } }[] {
  const { type, url, run } = written;
  const { must, may } = KEYS[type];
  const given = Object.entries(written).flatMap(([key, value]) => value === undefined ? [] : [key]);
  const issues: ReturnType<typeof channelIssues> = [
    ...must.filter((key) => !given.includes(key)).map((key) => ({
      path: [key],
      message: `must be given: a channel of type ${type} needs it`,
    })),
    ...given.filter((key) => key !== "type" && ![...must, ...may].includes(key)).map((key) => ({
      path: [key],
      message: `has no meaning for a channel of type ${type}`,
      params: { hideValue: true as const },
    })),
  ];
  if (written.to?.length === 0) issues.push({ path: ["to"], message: "must name an address" });
  if (run?.length === 0) issues.push({ path: ["run"], message: "must name a program" });
  if (url === undefined || !must.concat(may).includes("url")) return issues;
  const checked = (type === "slack" ? variableName : baseUrl).safeParse(url);
  const [fault] = checked.error?.issues ?? [];
  if (fault === undefined) return issues;
  const message = type === "slack"
    ? "must be the name of the environment variable that holds the address, which is a secret"
    : fault.message;
  issues.push({ path: ["url"], message, params: { hideValue: true } });
  return issues;
}

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as "22:00"');

/** The fields of `notify` in an agent file. */
export const NOTIFY_CHOICE = {
  on: optional(kinds).meta({
    description: "The kinds of messages about this agent; replaces config.yaml's `notify.on`",
    default: "as in config.yaml",
  }),
  to: optional(textList).meta({
    description: "The channels of messages about this agent; replaces config.yaml's `notify.to`",
    default: "as in config.yaml",
  }),
};

/** The parsed `notify` of an agent. Omitted fields have the value of config.yaml. */
export type NotifyChoice = z.output<z.ZodObject<typeof NOTIFY_CHOICE>>;

/** The fields of `notify` in config.yaml. */
export const NOTIFY = {
  on: field(
    kinds,
    ["waiting", "error", "budget", "missed", "loop"],
    "Which messages are sent: `waiting`, `error`, `success`, `budget`, `missed`, `loop`",
  ),
  to: optional(textList).meta({
    description: "The names of the channels to use",
    default: "all of them",
  }),
  channels: z.preprocess((value) => value ?? {}, z.record(channelName, channel)).meta({
    description:
      "The channels, each under a name that you choose: see [messages](notifications.md)",
    values: "map",
  }),
  quiet: section({
    from: optional(timeOfDay).meta({
      description: "The beginning of quiet hours, in which messages wait: `22:00`",
    }),
    to: optional(timeOfDay).meta({
      description: "The end of quiet hours, when the waiting messages are sent",
    }),
    timezone: optional(zoneName).meta({
      description: "IANA name of the time zone of quiet hours",
      default: "the machine's",
    }),
    pass: field(kinds, [], "Messages that do not wait, such as `waiting`"),
  }),
};

/** The parsed `notify` of config.yaml, with the chats among its channels. */
export type NotifySettings = Omit<z.output<z.ZodObject<typeof NOTIFY>>, "channels"> & {
  channels: Record<string, ChannelSettings>;
};

/** The hours in which messages wait. If the end is earlier than the start, they extend over midnight. */
export type QuietHours = NotifySettings["quiet"] & { from: string; to: string };

/** Returns the quiet hours, or undefined without any. */
export function quietHours({ quiet }: Pick<NotifySettings, "quiet">): QuietHours | undefined {
  const { from, to, ...rest } = quiet;
  return from === undefined || to === undefined || from === to ? undefined : { from, to, ...rest };
}

/** Returns the names of the variables with secrets of channels. */
export function channelVariables({ channels }: Pick<NotifySettings, "channels">): string[] {
  return Object.values(channels).flatMap((one) => {
    switch (one.type) {
      case "ntfy":
        return one.token ?? [];
      case "slack":
        return one.url;
      case "webhook":
        return one.secret;
      case "chat":
        return one.appToken === undefined ? one.token : [one.token, one.appToken];
      default:
        return [];
    }
  });
}

/** Returns the channels whose messages may be answered by mail: the server of their account proves senders. */
export function replyChannels(
  { notify, mail }: { notify: Pick<NotifySettings, "channels">; mail: readonly MailAccount[] },
): (MailChannel & { name: string })[] {
  return Object.entries(notify.channels).flatMap(([name, channel]) =>
    channel.type === "mail" &&
      mail.some((one) => one.name === channel.account && one.authServer !== undefined)
      ? [{ ...channel, name }]
      : []
  );
}

type Written = Readonly<Record<string, unknown>>;

/**
 * Returns diagnostics for all broken rules of `notify`. A command channel without permission is only a warning, because it
 * stays off until it is allowed.
 */
export function checkNotify(file: DiagnosedFile): Diagnostic[] {
  const notify = objectIn(file.document.value, "notify");
  const channels = objectIn(notify, "channels");
  return [
    ...checkTo(file, notify, { ...channels, ...objectIn(file.document.value, "chat") }),
    ...checkQuiet(file, notify),
    ...offCommands(file, channels),
  ];
}

function checkTo(file: DiagnosedFile, notify: Written, channels: Written): Diagnostic[] {
  const to = notify["to"];
  return (Array.isArray(to) ? to : []).flatMap((name, index) => {
    if (typeof name !== "string" || Object.hasOwn(channels, name)) return [];
    return [diagnose(file, ["notify", "to", index], {
      message: `notify.to names ${showValue(name)}, which is none of notify.channels`,
      ...nearestHint(name, Object.keys(channels)),
    })];
  });
}

function checkQuiet(file: DiagnosedFile, notify: Written): Diagnostic[] {
  const { from, to } = objectIn(notify, "quiet");
  if (from == null && to == null) return [];
  if (from != null && to != null && from !== to) return [];
  const message = from === to
    ? "notify.quiet.from and notify.quiet.to are the same: no hour is quiet then"
    : "notify.quiet needs both from and to";
  return [diagnose(file, ["notify", "quiet", from == null ? "to" : "from"], { message })];
}

function offCommands(file: DiagnosedFile, channels: Written): Diagnostic[] {
  return Object.entries(channels).flatMap(([name, one]) => {
    if (!isJsonObject(one) || one["type"] !== "command" || one["allow"] === true) return [];
    return [diagnose(file, ["notify", "channels", name], {
      severity: "warning",
      message: `notify.channels.${name} is off: a command is started only with allow: true`,
    }, "key")];
  });
}
