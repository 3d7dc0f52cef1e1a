// Opens the channels in config.yaml, with the current secrets from the environment.
import { isInstalled } from "../../../base/files/installed_program.ts";
import type { Environment } from "../../config/files/environment.ts";
import { type ChannelSettings, channelVariables } from "../../config/notify_schema.ts";
import type { Channel, ChannelPorts } from "./channel.ts";
import { createCommand, createDesktop, desktopProgram } from "./command.ts";
import { createMail } from "./mail.ts";
import { createNtfy } from "./ntfy.ts";
import { createSlack } from "./slack.ts";
import { createWebhook } from "./webhook.ts";
import { DeliveryFailure, secretOf } from "../../vocabulary/delivery_failure.ts";

/**
 * Opens a channel. The channel need not be closed. Throws DeliveryFailure if it cannot work. The error's message continues
 * a sentence that begins with the channel's name.
 */
export function openChannel(settings: ChannelSettings, ports: ChannelPorts): Channel {
  const { config, environment } = ports.settings;
  switch (settings.type) {
    case "ntfy": {
      const { token } = settings;
      return createNtfy(
        { ...settings, token: token === undefined ? undefined : secretOf(token, environment) },
        ports,
      );
    }
    case "slack":
      return createSlack(webAddress(settings.url, environment), ports);
    case "webhook":
      return createWebhook({ ...settings, secret: secretOf(settings.secret, environment) }, ports);
    case "mail": {
      const account = config.mail.find(({ name }) => name === settings.account);
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
      for (const name of channelVariables({ channels: { chat: settings } })) {
        secretOf(name, environment);
      }
      if (ports.openChat === undefined) throw new DeliveryFailure("only the service sends to it");
      return ports.openChat(settings);
    }
  }
  return settings satisfies never;
}

/**
 * Returns the URL in a variable. Throws DeliveryFailure if it is not valid. The URL is a secret, so the error contains only
 * the variable's name.
 */
function webAddress(variable: string, environment: Pick<Environment, "get">): string {
  const text = secretOf(variable, environment);
  const url = URL.parse(text);
  if (url?.protocol === "https:" || url?.protocol === "http:") return text;
  throw new DeliveryFailure(`the variable ${variable} is not an http or https address`);
}

/** Returns the reason that a channel cannot work now, or undefined if none is known. */
export function channelProblem(settings: ChannelSettings, ports: ChannelPorts): string | undefined {
  try {
    openChannel(settings, ports);
    const program = programOf(settings, ports);
    const { directories: { configDir: cwd }, environment } = ports.settings;
    const path = environment.get("PATH") ?? "";
    if (program === undefined || isInstalled(program, { path, cwd })) return undefined;
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
