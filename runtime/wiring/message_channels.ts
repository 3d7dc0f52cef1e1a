// The channels of config.yaml, ready to be used, looked at, and tried. Loaded with the first message.
import { describeDenied } from "../../base/denied_permission.ts";
import type { Clock } from "../../base/clock.ts";
import type { ChannelSettings } from "../config/notify_schema.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import { type Channel, DeliveryFailure } from "../notify/channels/channel.ts";
import { type ChannelPorts, channelProblem, openChannel } from "../notify/channels/open_channel.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { servicePolicy } from "../tools/http/service_policy.ts";

/** What channels work with. */
export interface MessageChannelsOptions {
  settings: Pick<WorkspaceSettings, "config" | "directories" | "environment">;
  redactor: Redactor;
  clock: Clock;
  /** TCP ports of the service itself, which messages must not reach. */
  ownPorts: () => readonly number[];
}

/** A channel, and why it cannot work as things are; null where nothing is known that speaks against it. */
export interface ChannelReport {
  name: string;
  type: ChannelSettings["type"];
  problem: string | null;
}

/** What came of a test message. */
export interface ChannelTrial {
  name: string;
  delivered: boolean;
  /** What came back, or why it did not arrive. */
  reply: string;
}

/** All of them. */
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

  /** Undefined where config.yaml has none of this name. Throws DeliveryFailure where it cannot work. */
  open(name: string): Channel | undefined {
    const settings = this.#settingsOf(name);
    return settings && openChannel(settings, this.#ports);
  }

  /** Every channel, in the order of config.yaml. */
  report(): ChannelReport[] {
    return Object.entries(this.#settings.config.notify.channels).map(([name, settings]) => ({
      name,
      type: settings.type,
      problem: channelProblem(settings, this.#ports) ?? null,
    }));
  }

  /** Sends a message that says it is a test, once. Undefined where there is no such channel. */
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
