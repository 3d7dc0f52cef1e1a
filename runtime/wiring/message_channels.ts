// Opens, checks and tests the notification channels of config.yaml. Loaded with the first message.
import { describeDenied } from "../../base/denied_permission.ts";
import type { Clock } from "../../base/clock.ts";
import type { ChannelSettings } from "../config/notify_schema.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import { type Channel, DeliveryFailure } from "../notify/channels/channel.ts";
import { type ChannelPorts, channelProblem, openChannel } from "../notify/channels/open_channel.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { servicePolicy } from "../tools/http/service_policy.ts";

/** The objects that MessageChannels needs. */
export interface MessageChannelsOptions {
  settings: Pick<WorkspaceSettings, "config" | "directories" | "environment">;
  redactor: Redactor;
  clock: Clock;
  /** Returns the TCP ports of the service itself, which messages must not reach. */
  ownPorts: () => readonly number[];
}

/** A channel, and the reason why it cannot work now. Null if no reason is known. */
export interface ChannelReport {
  name: string;
  type: ChannelSettings["type"];
  problem: string | null;
}

/** The result of a test message. */
export interface ChannelTrial {
  name: string;
  delivered: boolean;
  /** The receiver's reply, or the reason of the failure. */
  reply: string;
}

/** Opens, checks and tests the channels of a workspace. */
export class MessageChannels {
  readonly #settings: MessageChannelsOptions["settings"];
  readonly #ports: ChannelPorts;

  constructor({ settings, redactor, clock, ownPorts }: MessageChannelsOptions) {
    this.#settings = settings;
    this.#ports = {
      policy: servicePolicy(settings, ownPorts),
      clock,
      redactor,
      cwd: settings.directories.configDir,
      lookup: (name) => settings.environment.get(name),
      os: Deno.build.os,
    };
  }

  /** Opens a channel. Returns undefined for an unknown name. Throws DeliveryFailure if the channel cannot work. */
  open(name: string): Channel | undefined {
    const settings = this.#settingsOf(name);
    return settings && openChannel(settings, this.#ports);
  }

  /** Returns the state of every channel, in the order of config.yaml. */
  report(): ChannelReport[] {
    return Object.entries(this.#settings.config.notify.channels).map(([name, settings]) => ({
      name,
      type: settings.type,
      problem: channelProblem(settings, this.#ports) ?? null,
    }));
  }

  /** Sends a test message through a channel and returns the result. Undefined for an unknown channel. */
  async try(name: string): Promise<ChannelTrial | undefined> {
    if (this.#settingsOf(name) === undefined) return undefined;
    try {
      const reply = await this.open(name)?.send({
        id: `msg_${crypto.randomUUID().replaceAll("-", "")}`,
        kind: "test",
        agentId: null,
        executionId: null,
        title: "Inkling: a test",
        text: `Messages of Inkling arrive here, through the channel ${name}.`,
        count: 1,
        at: this.#ports.clock.now(),
        link: null,
      }, new AbortController().signal);
      return { name, delivered: true, reply: this.#ports.redactor.redact(reply ?? "") };
    } catch (error) {
      const denied = describeDenied(error);
      if (!(error instanceof DeliveryFailure) && denied === undefined) throw error;
      const reason = denied ?? (error as Error).message;
      return { name, delivered: false, reply: this.#ports.redactor.redact(reason) };
    }
  }

  #settingsOf(name: string): ChannelSettings | undefined {
    const { channels } = this.#settings.config.notify;
    return Object.hasOwn(channels, name) ? channels[name] : undefined;
  }
}
