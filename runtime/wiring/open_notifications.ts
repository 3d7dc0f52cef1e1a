// Creates the notifications of a runtime: events become messages in the outbox, the sender delivers them, and links lead to
// questions.
import type { AgentRegistry } from "../agents/registry.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import type { Context } from "../config/context.ts";
import type { EventBus } from "../events/bus.ts";
import { SqlAnswerLinks } from "../notify/answer_links.ts";
import type { NotableEvent } from "../notify/notable_event.ts";
import { MessageTests } from "../notify/message_tests.ts";
import { draftMessages } from "../notify/drafts.ts";
import type { OpenChat } from "../notify/channels/channel.ts";
import { MessageSender } from "../notify/sender.ts";
import type { RuntimeMessages } from "../interface/runtime.ts";
import type { Database } from "../database/database.ts";
import { SqlOutbox } from "../notify/outbox.ts";
import type { TokenSecrets } from "../tools/mcp/sign_in/token_secrets.ts";
import { once } from "./once.ts";

const loadChatNotes = lazyModule(() => import("../notify/chat_notes.ts"));
const loadMessageChannels = lazyModule(() => import("./message_channels.ts"));

/** The functions by which a service runs its chats. */
export interface ServiceHooks {
  /** Called after each change of config.yaml. */
  onConfigChange?: (() => void) | undefined;
  /** Opens the channels of chats. If absent, no message reaches them. */
  openChat?: OpenChat | undefined;
}

export interface NotificationsOptions extends ServiceHooks, Context {
  db: Database;
  registry: AgentRegistry;
  /** Receives the tokens of mail accounts, which are redacted. */
  tokenSecrets: TokenSecrets;
  events: EventBus;
  ownPorts: () => readonly number[];
}

/** The notifications of one runtime. */
export interface Notifications extends RuntimeMessages {
  outbox: SqlOutbox;
  sender: MessageSender;
  /**
   * Sends the messages that an earlier process has left, logs the channels that cannot work, and subscribes to stopped
   * triggers and budget warnings. `isAlone` is true if no other service sends the same messages: then earlier attempts are
   * repeated at once.
   */
  start(options: { isAlone: boolean }): Promise<void>;
}

/** Creates the notifications. No message is sent before start() or the first event. */
export function openNotifications(options: NotificationsOptions): Notifications {
  const { db, settings, events, clock, log, timeZone } = options;
  const notify = () => settings.config.notify;
  const showTime = (ms: number) =>
    new Intl.DateTimeFormat("en-GB", {
      dateStyle: "medium",
      timeStyle: "short",
      timeZone: notify().quiet.timezone ?? timeZone(),
    }).format(ms);
  const openChannels = once(async () => {
    const { MessageChannels } = await loadMessageChannels();
    return new MessageChannels(options);
  });
  const outbox: SqlOutbox = new SqlOutbox(db, {
    draftMessages: (event) => draftMessages(event, { ...options, showTime }),
    now: () => clock.now(),
    stored: () => sender.wake(),
    failed: (error) => log.write("error", "A message could not be written", { error }),
  });
  const announce = (event: NotableEvent) => {
    outbox.announce(event).catch((error) => {
      log.write("error", "A message could not be stored", { error });
    });
  };
  const links = new SqlAnswerLinks(db, { clock });
  const sender = new MessageSender({
    ...options,
    store: outbox,
    links,
    openChannel: async (name) => (await openChannels()).open(name),
    showTime,
  });
  return {
    outbox,
    sender,
    findLink: (token) => links.findLink(token),
    tests: new MessageTests(options),
    openChatNotes: async (chat) => new (await loadChatNotes()).SqlChatNotes(db, { chat, clock }),
    hasOpen: async () => await outbox.countOpen() > 0,
    async start({ isAlone }) {
      events.subscribe((event, origin) => {
        if (origin === "elsewhere") return;
        if (event.type === "budget_warning") {
          const { agentId, rootId, message } = event;
          announce({ type: "budget", agentId, executionId: rootId, text: message });
        }
        if (event.type !== "trigger_changed" || event.reason === null) return;
        const { agentId, displayName, reason, stop } = event;
        // The message about repeated failures is stored with the end of the last run, so it is not created here.
        if (stop?.by === "failures") return;
        announce({ type: "stopped", agentId, displayName, reason, ...(stop && { stop }) });
      });
      if (Object.keys(notify().channels).length > 0) {
        for (const { name, problem } of (await openChannels()).report()) {
          if (problem === null) continue;
          log.write("warn", `The channel ${name} cannot deliver: ${problem}`);
        }
      }
      if (await outbox.countOpen() === 0) return;
      if (isAlone) await outbox.retryAll(clock.now());
      sender.wake();
    },
  };
}
