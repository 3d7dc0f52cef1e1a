// A channel as config.yaml describes it, with the secrets that the variables hold now.
import { PATHS } from "../../../base/plain_path.ts";
import type { ChannelSettings } from "../../config/notify_schema.ts";
import { type Channel, DeliveryFailure } from "./channel.ts";
import { type CommandPorts, createCommand, createDesktop, desktopProgram } from "./command.ts";
import type { PostPorts } from "./http_post.ts";
import { createNtfy } from "./ntfy.ts";
import { createSlack } from "./slack.ts";
import { createWebhook } from "./webhook.ts";

const { resolve } = PATHS;

/** What channels are opened with. */
export type ChannelPorts = PostPorts & CommandPorts;

/** Opens a channel; it holds nothing. Throws DeliveryFailure, whose message goes on after the channel's name, where it cannot work. */
export function openChannel(settings: ChannelSettings, ports: ChannelPorts): Channel {
  const secretOf = (name: string) => {
    const value = ports.lookup(name)?.trim();
    if (value !== undefined && value !== "") return value;
    throw new DeliveryFailure(`the variable ${name} is not set: write it into the .env`);
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
        throw new DeliveryFailure("it is off: a command is started only with allow: true");
      }
      return createCommand(settings, ports);
    case "desktop":
      return createDesktop(ports);
  }
  return settings satisfies never;
}

/** The address itself is a secret: only the variable is named. */
function webAddress(text: string, variable: string): string {
  const url = URL.parse(text);
  if (url?.protocol === "https:" || url?.protocol === "http:") return text;
  throw new DeliveryFailure(`the variable ${variable} holds no http or https address`);
}

/** Why a channel cannot work as things are; undefined where nothing is known that speaks against it. */
export function channelProblem(settings: ChannelSettings, ports: ChannelPorts): string | undefined {
  try {
    openChannel(settings, ports);
    const program = programOf(settings, ports);
    if (program === undefined || isInstalled(program, ports)) return undefined;
    return `${program} is not installed, or is in no folder of PATH`;
  } catch (error) {
    if (error instanceof DeliveryFailure) return error.message;
    throw error;
  }
}

function programOf(settings: ChannelSettings, { os }: ChannelPorts): string | undefined {
  if (settings.type === "command") return settings.run[0];
  return settings.type === "desktop" ? desktopProgram(os) : undefined;
}

/** Also where nobody may look. */
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
