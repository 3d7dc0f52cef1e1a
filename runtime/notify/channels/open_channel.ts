// Opens the channels of config.yaml, with the current secrets from the environment.
import { PATHS } from "../../../base/plain_path.ts";
import type { ChannelSettings } from "../../config/notify_schema.ts";
import { type Channel, DeliveryFailure } from "./channel.ts";
import { type CommandPorts, createCommand, createDesktop, desktopProgram } from "./command.ts";
import type { PostPorts } from "./http_post.ts";
import { createNtfy } from "./ntfy.ts";
import { createSlack } from "./slack.ts";
import { createWebhook } from "./webhook.ts";

const { resolve } = PATHS;

export type ChannelPorts = PostPorts & CommandPorts;

/**
 * Opens a channel, which holds no resources. Throws DeliveryFailure if it cannot work; the message continues a sentence
 * that begins with the channel's name.
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
    case "command":
      if (!settings.allow) {
        throw new DeliveryFailure("it is off: set allow: true to start its command");
      }
      return createCommand(settings, ports);
    case "desktop":
      return createDesktop(ports);
  }
  return settings satisfies never;
}

/** The address itself is a secret, so errors contain only the variable's name. */
function webAddress(text: string, variable: string): string {
  const url = URL.parse(text);
  if (url?.protocol === "https:" || url?.protocol === "http:") return text;
  throw new DeliveryFailure(`the variable ${variable} is not an http or https address`);
}

/** Returns the reason why a channel cannot work now; undefined if none is known. */
export function channelProblem(settings: ChannelSettings, ports: ChannelPorts): string | undefined {
  try {
    openChannel(settings, ports);
    const program = programOf(settings, ports);
    if (program === undefined || isInstalled(program, ports)) return undefined;
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

/** Counts a program as installed if its folder cannot be read. */
function isInstalled(program: string, { lookup, cwd }: ChannelPorts): boolean {
  const folders = program.includes("/") ? [""] : (lookup("PATH") ?? "").split(":");
  return folders.some((folder) => {
    try {
      return Deno.statSync(resolve(cwd, folder, program)).isFile;
    } catch (error) {
      return !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory);
    }
  });
}
