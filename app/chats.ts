// Runs the chats of config.yaml: starts and stops them when the file changes, and opens their channels for messages.
import type { Client } from "../api/client/client.ts";
import { SerialQueue } from "../base/serial_queue.ts";
import { SECOND_MS } from "../base/time_units.ts";
import { AppFailure } from "../reach/chat/chat_app.ts";
import type { ChatPorts } from "../reach/chat/chat_ports.ts";
import { Chat } from "../reach/chat/chat.ts";
import { type AppPorts, openChatApp } from "../reach/chat/open_app.ts";
import { type Notice, sendNotice } from "../reach/chat/send_notice.ts";
import type { ChatPerson, ChatSettings } from "../runtime/config/chat_schema.ts";
import type { WorkspaceSettings } from "../runtime/config/settings.ts";
import type { Runtime } from "../runtime/interface/runtime.ts";
import type { Channel } from "../runtime/notify/channels/channel.ts";
import { ToolFailure } from "../runtime/tools/failures/tool_failure.ts";
import { AgentNotFound } from "../runtime/agents/known_agents.ts";
import { createLocalClient } from "./local_client.ts";
import { DeliveryFailure } from "../runtime/vocabulary/delivery_failure.ts";

/** The time in milliseconds that an app gets to accept a token. */
const TRIAL_MS = 10 * SECOND_MS;

/** The running chats of a service. */
export class Chats implements AsyncDisposable {
  readonly #runtime: Runtime;
  readonly #ports: AppPorts;
  readonly #client: Client;
  readonly #clients = new Map<string, Client>();
  readonly #running = new Map<string, { key: string; chat: Chat }>();
  readonly #changes = new SerialQueue();
  /** Names this process if several services share the database. */
  readonly #holder: string | undefined;

  constructor(runtime: Runtime, { environment }: Pick<WorkspaceSettings, "environment">) {
    this.#runtime = runtime;
    this.#ports = { environment, clock: runtime.clock };
    this.#client = createLocalClient(runtime, { via: "chat" });
    this.#holder = runtime.storage.kind === "sqlite" ? undefined : crypto.randomUUID();
  }

  /** Starts the chats that are in config.yaml now, and stops all others. */
  update(): Promise<void> {
    return this.#changes.run(async () => {
      const wanted = new Map(
        this.#runtime.config.chats.map((chat) => [chat.name, this.#keyOf(chat)]),
      );
      for (const [name, { key, chat }] of this.#running) {
        if (wanted.get(name) === key) continue;
        this.#running.delete(name);
        await chat[Symbol.asyncDispose]();
      }
      for (const settings of this.#runtime.config.chats) {
        if (!this.#running.has(settings.name)) await this.#start(settings);
      }
    }).catch((error) => {
      this.#runtime.log.write("error", "The chats could not be updated", { error });
    });
  }

  /** Sends a notice to the people of a chat. Throws DeliveryFailure. */
  async post({ name }: ChatSettings, notice: Notice, signal: AbortSignal): Promise<string> {
    const { chat } = this.#running.get(name) ?? {};
    if (chat === undefined) throw new DeliveryFailure("the chat is not running");
    await chat.post(notice, signal);
    return "accepted";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#changes.settled();
    for (const { chat } of this.#running.values()) await chat[Symbol.asyncDispose]();
    for (const client of [this.#client, ...this.#clients.values()]) client[Symbol.dispose]();
  }

  async #start(settings: ChatSettings): Promise<void> {
    const { name } = settings;
    const { clock, log, directories: { workspace }, messages } = this.#runtime;
    try {
      const chat = new Chat({
        settings: () => this.#runtime.config.chats.find((one) => one.name === name),
        app: await openChatApp(settings, this.#ports),
        notes: await messages.openChatNotes(name),
        client: this.#client,
        clientOf: (person) => this.#clientOf(person),
        onChange: (changed) =>
          this.#runtime.events.subscribe(({ type }) => {
            if (type.startsWith("execution_")) changed();
          }),
        readFile: (file) => this.#readFile(file),
        workspace,
        clock,
        log,
        holder: this.#holder,
      });
      this.#running.set(name, { key: this.#keyOf(settings), chat });
      log.write("info", "Receiving the messages of a chat", { chat: name });
    } catch (error) {
      if (!(error instanceof DeliveryFailure)) throw error;
      log.write("warn", `The chat ${name} cannot start: ${error.message}`);
    }
  }

  #clientOf({ name, role }: ChatPerson): Client {
    const caller = { via: "chat" as const, name, ...(role !== undefined && { role }) };
    const key = JSON.stringify(caller);
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    const client = createLocalClient(this.#runtime, caller);
    this.#clients.set(key, client);
    return client;
  }

  async #readFile({ agentId, path, maxBytes }: Parameters<ChatPorts["readFile"]>[0]) {
    try {
      return await (await this.#runtime.files()).readForAgent(agentId, path, { maxBytes });
    } catch (error) {
      if (!(error instanceof ToolFailure) && !(error instanceof AgentNotFound)) throw error;
      throw new AppFailure(error.message, { isFinal: true });
    }
  }

  /** Returns a text that changes if the chat must start again. Other settings apply at once. */
  #keyOf({ app, apiRoot, token, appToken = "" }: ChatSettings): string {
    const { environment } = this.#ports;
    return JSON.stringify([app, apiRoot, environment.get(token), environment.get(appToken)]);
  }
}

/** Returns the channel of a chat for a process without a service: it sends texts, and no questions. */
export function openChatChannel(chat: ChatSettings, ports: AppPorts): Channel {
  return {
    async send(message, signal) {
      const app = await openChatApp(chat, ports);
      const refused = (failure: AppFailure) => {
        throw failure;
      };
      await sendNotice(message, { settings: () => chat, app, refused }, signal);
      return "accepted";
    },
  };
}

/** Returns the reason why the app of a chat cannot be used, or undefined if it accepts the token. */
export async function tryChat(chat: ChatSettings, ports: AppPorts): Promise<string | undefined> {
  const signal = AbortSignal.timeout(TRIAL_MS);
  try {
    await (await openChatApp(chat, ports)).check(signal);
    return undefined;
  } catch (error) {
    if (signal.aborted) return `${chat.apiRoot} does not answer`;
    if (!(error instanceof DeliveryFailure)) throw error;
    return error.message;
  }
}
