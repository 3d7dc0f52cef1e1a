// Opens, checks and tests the notification channels of config.yaml. Loaded with the first message.
import { describeDenied } from "../../base/denied_permission.ts";
import type { Clock } from "../../base/clock.ts";
import { mayAnybodyAnswer } from "../config/chat_schema.ts";
import type { ChannelSettings } from "../config/notify_schema.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import type { Channel, ChannelPorts, OpenChat } from "../notify/channels/channel.ts";
import { channelProblem, openChannel } from "../notify/channels/open_channel.ts";
import { mailOpener } from "./open_mail.ts";
import { newToken } from "../notify/answer_links.ts";
import { MessageTests } from "../notify/message_tests.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { makeStateDir } from "../storage/state_dir/state_dir.ts";
import { servicePolicy } from "../tools/http/http_policy.ts";
import type { TokenSecrets } from "../tools/mcp/sign_in/token_secrets.ts";
import { ownValue } from "../../base/json.ts";
import { DeliveryFailure } from "../vocabulary/delivery_failure.ts";

/** The objects that MessageChannels needs. */
export interface MessageChannelsOptions {
  settings: Pick<WorkspaceSettings, "config" | "database" | "directories" | "environment">;
  redactor: Redactor;
  clock: Clock;
  /** Receives the tokens of mail accounts, which are redacted. */
  tokenSecrets?: TokenSecrets;
  log?: ServiceLog;
  openChat?: OpenChat | undefined;
  /** Returns the TCP ports of the service itself, which messages must not reach. */
  ownPorts: () => readonly number[];
}

/** A channel, and the reason why it cannot work now. Null if no reason is known. */
export interface ChannelReport {
  name: string;
  type: ChannelSettings["type"];
  problem: string | null;
  /** True for a chat in which nobody may answer. */
  isEmpty: boolean;
}

/** The result of a test message. */
export interface ChannelTrial {
  name: string;
  delivered: boolean;
  /** The receiver's reply, or the reason of the failure. */
  reply: string;
  /** The token of the message's link; undefined without a link. */
  token?: string;
}

/** Opens, checks and tests the channels of a workspace. */
export class MessageChannels {
  readonly #settings: MessageChannelsOptions["settings"];
  readonly #ports: ChannelPorts;
  readonly #tests: MessageTests;

  constructor(options: MessageChannelsOptions) {
    const { settings, ownPorts } = options;
    this.#settings = settings;
    this.#ports = {
      ...options,
      policy: servicePolicy(settings, ownPorts),
      os: Deno.build.os,
      // Sending leaves no connection open.
      openMail: mailOpener({ ...options, resources: new AsyncDisposableStack() }),
    };
    this.#tests = new MessageTests(options);
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
      isEmpty: settings.type === "chat" && !mayAnybodyAnswer(settings),
    }));
  }

  /** Asks the receiver of a channel whether it accepts messages. Returns the problem; null if none is known. */
  async check(name: string): Promise<string | null> {
    try {
      return await this.open(name)?.check?.() ?? null;
    } catch (error) {
      if (!(error instanceof DeliveryFailure)) throw error;
      return error.message;
    }
  }

  /**
   * Sends one test message and stores the result. Returns undefined for an unknown channel. With `isLinked` the message has
   * a link to confirm its arrival, if config.yaml sets public_url.
   */
  async try(
    name: string,
    { isLinked = false }: { isLinked?: boolean } = {},
  ): Promise<ChannelTrial | undefined> {
    if (this.#settingsOf(name) === undefined) return undefined;
    const { config: { publicUrl }, directories } = this.#settings;
    const token = isLinked && publicUrl !== null ? newToken() : undefined;
    await makeStateDir(directories.stateDir);
    // Stored before the message is sent, so that its link works at once.
    await this.#tests.record(name, { isAccepted: false, token });
    const trial = await this.#send(
      name,
      token === undefined ? null : `${publicUrl}/answer/${token}`,
    );
    if (trial.delivered) await this.#tests.record(name, { isAccepted: true, token });
    return { ...trial, ...(token !== undefined && { token }) };
  }

  /** Returns whether the receiver has confirmed the arrival of a test message. */
  async isConfirmed(token: string): Promise<boolean> {
    return await this.#tests.findLink(token) === "confirmed";
  }

  /** Stores that a test message did not arrive although the receiver accepted it. */
  async reportLost(name: string): Promise<void> {
    await this.#tests.record(name, { isAccepted: false });
  }

  async #send(name: string, link: string | null): Promise<ChannelTrial> {
    try {
      const reply = await this.open(name)?.send({
        id: `msg_${crypto.randomUUID().replaceAll("-", "")}`,
        kind: "test",
        agentId: null,
        executionId: null,
        requestId: null,
        isReminder: false,
        title: "Inkling: a test",
        text: `Messages of Inkling arrive here, through the channel ${name}.` +
          (link === null ? "" : " Open the link to confirm it."),
        count: 1,
        at: this.#ports.clock.now(),
        link,
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
    return ownValue(channels, name);
  }
}
