// Opens the channels in config.yaml, with the current secrets from the environment.
import { isInstalled } from "../../../base/files/installed_program.ts";
import type { ChatSettings } from "../../config/chat_schema.ts";
import type { MailAccount } from "../../config/mail_schema.ts";
import { type ChannelSettings, channelVariables } from "../../config/notify_schema.ts";
import { type Channel, DeliveryFailure } from "./channel.ts";
import { type CommandPorts, createCommand, createDesktop, desktopProgram } from "./command.ts";
import { createMail, type MailPorts } from "./mail.ts";
import type { PostPorts } from "./http_post.ts";
import { createNtfy } from "./ntfy.ts";
import { createSlack } from "./slack.ts";
import { createWebhook } from "./webhook.ts";

export type ChannelPorts = PostPorts & CommandPorts & Pick<MailPorts, "openMail"> & {
  /** Returns the mail accounts of config.yaml. */
  mailAccounts: () => readonly MailAccount[];
  /** Opens the channel of a chat. Absent in a process that does not send messages. */
  openChat?: OpenChat | undefined;
};

/** Returns the channel of a chat. The packages of its app are loaded with the first message. */
export type OpenChat = (chat: ChatSettings) => Channel;

/**
 * Opens a channel. The channel need not be closed. Throws DeliveryFailure if it cannot work. The error's message continues
 * a sentence that begins with the channel's name.
 */
export function openChannel(settings: ChannelSettings, ports: ChannelPorts): Channel {
  const secretOf = (name: string) => {
    const value = ports.lookup(name)?.trim();
    if (value !== undefined && value !== "") return value;
    throw new DeliveryFailure(`the variable ${name} is not set: add it to the .env file`);
  };
  switch (settings.type) {
    case "ntfy": {
      const { token } = settings;
      return createNtfy(
        { ...settings, token: token === undefined ? undefined : secretOf(token) },
        ports,
      );
    }
    case "slack":
      return createSlack({ url: webAddress(secretOf(settings.url), settings.url) }, ports);
    case "webhook":
      return createWebhook({ ...settings, secret: secretOf(settings.secret) }, ports);
    case "mail": {
      const account = ports.mailAccounts().find(({ name }) => name === settings.account);
      if (account !== undefined) return createMail(settings, account, ports);
      throw new DeliveryFailure(`config.yaml has no mail account ${settings.account}`);
    }
    case "command":
      if (!settings.allow) {
        throw new DeliveryFailure("it is off: set allow: true to start its command");
      }
      return createCommand(settings, ports);
    case "desktop":
      return createDesktop(ports);
    case "chat": {
      for (const name of channelVariables({ channels: { chat: settings } })) secretOf(name);
      if (ports.openChat === undefined) throw new DeliveryFailure("only the service sends to it");
      return ports.openChat(settings);
    }
  }
  return settings satisfies never;
}

/**
 * Returns the URL. Throws DeliveryFailure if it is not valid. The URL is a secret, so the error contains only the
 * variable's name.
 */
function webAddress(text: string, variable: string): string {
  const url = URL.parse(text);
  if (url?.protocol === "https:" || url?.protocol === "http:") return text;
  throw new DeliveryFailure(`the variable ${variable} is not an http or https address`);
}

/** Returns the reason that a channel cannot work now, or undefined if none is known. */
export function channelProblem(settings: ChannelSettings, ports: ChannelPorts): string | undefined {
  try {
    openChannel(settings, ports);
    const program = programOf(settings, ports);
    const path = ports.lookup("PATH") ?? "";
    if (program === undefined || isInstalled(program, { path, cwd: ports.cwd })) return undefined;
    return `${program} is not installed or not in PATH`;
  } catch (error) {
    if (error instanceof DeliveryFailure) return error.message;
    throw error;
  }
}

function programOf(settings: ChannelSettings, { os }: ChannelPorts): string | undefined {
  if (settings.type === "command") return settings.run[0];
  return settings.type === "desktop" ? desktopProgram(os) : undefined;
}
