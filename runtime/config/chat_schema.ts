// Defines `chat` in config.yaml: the chat apps in which people talk with agents and answer questions.
import { z } from "zod";
import { isJsonObject } from "../../base/json.ts";
import { type CamelKeys, camelKeys } from "../../base/text/key_case.ts";
import { limitRights, type Person, toPersonCaller } from "../vocabulary/persons.ts";
import {
  CHAT_RIGHTS,
  type ChatRight,
  describeChatRights,
  type Role,
} from "../vocabulary/rights.ts";
import {
  baseUrl,
  channelName,
  field,
  filledText,
  optional,
  textList,
  variableName,
} from "./fields.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { diagnose, type DiagnosedFile } from "./files/diagnosed_file.ts";

/** The chat apps, each with its default address. */
export const CHAT_APPS = {
  telegram: "https://api.telegram.org",
  slack: "https://slack.com",
  discord: "https://discord.com/api",
} as const;
/** The name of a chat app. */
export type ChatAppName = keyof typeof CHAT_APPS;

/** A person of a chat. `id` is the app's id of the person, as a text. */
export interface ChatPerson {
  id: string;
  /** The name of the person in `people`, or else the one in the chat. */
  name: string;
  /** The role of the person in `people`. It has limited `may`. */
  role?: Role | undefined;
  may: readonly ChatRight[];
}

/** An id of a person or group: a number, or a text. Discord's numbers are too large for YAML, so they are texts. */
export const appId = z.union([
  z.number().refine(Number.isSafeInteger, "is too large for a number: put it in quotes"),
  z.string().regex(/^-?[A-Za-z0-9]{1,40}$/),
], {
  error: (issue) =>
    typeof issue.input === "number"
      ? undefined
      : "must be the app's id: a number (Telegram) or a text such as U04AB12CD (Slack)",
}).transform(String);

/** The schema of a person of a chat. */
export const writtenPerson = z.object({
  id: appId.meta({
    description: 'The app\'s id of the person, which "inkling pair" finds',
    values: "number or text",
  }),
  name: z.string().regex(/^[^\p{C}]{1,60}$/u, "must be 1 to 60 visible characters").meta({
    description: "The name that answers are stored with",
    default: "required",
  }),
  may: field(z.array(z.enum(CHAT_RIGHTS)), ["chat"], `The rights: ${describeChatRights()}`),
});

const writtenGroup = z.object({
  id: appId.meta({ description: "The app's id of the group", values: "number or text" }),
  agent: optional(filledText).meta({ description: "The agent of the group", default: "`agent`" }),
});

/** The schema of a chat. It is one map for all apps, so that a key of another app is reported at its position. */
export const writtenChat = z.object({
  type: z.enum(Object.keys(CHAT_APPS) as [ChatAppName, ...ChatAppName[]]).meta({
    description: "The chat app",
    default: "required",
  }),
  token: variableName.meta({
    description: "The **variable** that holds the token of the bot",
    default: "required",
  }),
  app_token: optional(variableName).meta({
    description: "slack: the variable that holds the app-level token, `xapp-…`; required",
  }),
  api_root: optional(baseUrl).meta({
    description: "The address of a server of your own that speaks the app's protocol",
    default: "the app's",
  }),
  agent: optional(filledText).meta({
    description: "The agent that answers plain messages",
    default: "nobody",
  }),
  agents: optional(textList).meta({
    description: "The agents whose questions appear here",
    default: "all agents",
  }),
  people: field(
    z.array(writtenPerson),
    [],
    'The people that the bot answers; everybody else gets nothing. "inkling pair" adds them',
  ),
  groups: field(
    z.array(writtenGroup),
    [],
    "The groups in which the bot answers people of `people`",
  ),
});

/** The settings of one chat. `token` and `appToken` are names of variables with secret values. */
export interface ChatSettings
  extends Omit<CamelKeys<z.output<typeof writtenChat>>, "type" | "people" | "groups" | "apiRoot"> {
  /** The name that config.yaml gives the chat. It is also the name of its channel. */
  name: string;
  app: ChatAppName;
  /** The address of the app's API, without a slash at its end. */
  apiRoot: string;
  people: readonly ChatPerson[];
  groups: readonly z.output<typeof writtenGroup>[];
}

/** The schema of `chat`. */
export const CHAT = z.preprocess(
  (value) => value ?? {},
  z.record(
    channelName,
    writtenChat.superRefine(({ type, app_token: appToken }, context) => {
      if ((type === "slack") === (appToken !== undefined)) return;
      const message = type === "slack"
        ? "must be given: Slack's Socket Mode needs the app-level token, too"
        : `has no meaning for ${type}`;
      context.addIssue({ code: "custom", message, path: ["app_token"] });
    }),
  ),
).meta({
  description:
    "The chat apps, each under a name that you choose: see [chat apps](reference/chat-apps.md)",
  values: "map",
});

/** Converts `chat` of a file without errors. Somebody who belongs to a person of `people` becomes this person. */
export function toChats(
  written: z.output<typeof CHAT>,
  people: readonly Person[],
): ChatSettings[] {
  return Object.entries(written).map(([name, chat]) => {
    const { type: app, apiRoot = CHAT_APPS[chat.type], ...rest } = camelKeys(chat);
    return {
      ...rest,
      ...{ name, app, apiRoot: apiRoot.replace(/\/+$/, "") },
      people: rest.people.flatMap(({ id, name: own, may }) => {
        const way = { chat: name, id };
        const caller = toPersonCaller(people, { via: "chat", name: own }, way);
        if (caller === undefined) return [];
        const { name: known, role } = caller;
        return [{
          ...{ id, name: known, may: limitRights(may, role) },
          ...(role !== undefined && { role }),
        }];
      }),
    };
  });
}

/** Returns true if a person of a chat may answer questions. Otherwise no question or message is sent to the chat. */
export function mayAnybodyAnswer({ people }: Pick<ChatSettings, "people">): boolean {
  return people.some(({ may }) => may.includes("answer"));
}

/** Returns the errors about names and ids that occur twice. */
export function checkChat(file: DiagnosedFile): Diagnostic[] {
  const { chat, notify } = file.document.value;
  if (!isJsonObject(chat)) return [];
  const channels = isJsonObject(notify) && isJsonObject(notify["channels"])
    ? notify["channels"]
    : {};
  return Object.entries(chat).flatMap(([name, one]) => {
    const people = isJsonObject(one) && Array.isArray(one["people"]) ? one["people"] : [];
    const ids = people.map((person) => isJsonObject(person) ? String(person["id"]) : "");
    const message = `chat.${name} has the name of a channel in notify.channels; rename one of both`;
    return [
      ...(Object.hasOwn(channels, name)
        ? [diagnose(file, ["chat", name], { message }, "key")]
        : []),
      ...ids.flatMap((id, index) =>
        id === "" || ids.indexOf(id) === index
          ? []
          : [diagnose(file, ["chat", name, "people", index], {
            message: `chat.${name}.people lists the id ${id} twice`,
          })]
      ),
    ];
  });
}
