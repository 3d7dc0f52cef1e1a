// The chat apps of the proof, each with the ten points at which the service dies.
import { DiscordServer } from "../../tests/reach/chat/discord/discord_server.ts";
import {
  openDiscord,
  openTelegram,
  type TestedApp,
} from "../../tests/reach/chat/apps/tested_app.ts";
import { TelegramServer } from "../../tests/reach/chat/telegram_server.ts";

/** A request of the bot at which the service dies: before the app handles it, or after its effect and before its response. */
export interface ChatDeath {
  name: string;
  when: "before" | "after";
  /** The request, or the kind of an event that the app has sent. */
  method: string;
  /** The number of the request among those of its method in the round. */
  nth: number;
}

/** An app of the proof. */
export interface CrashApp {
  app: TestedApp;
  /** The server, whose hooks see each request. */
  server: Pick<TelegramServer, "isReceived" | "afterEffect" | "calls">;
  /** The points of one message: it is received, run, asked about, approved and answered. */
  deaths: readonly ChatDeath[];
  /** The request that shows that a service receives. */
  receiving: string;
  /** True if the service has confirmed everything. */
  isRead: () => boolean;
}

/** The apps by name. */
export const CRASH_APPS: Readonly<Record<string, () => CrashApp>> = {
  telegram() {
    const server = new TelegramServer();
    const deaths = toDeaths({
      send: "sendMessage",
      edit: "editMessageText",
      acknowledge: "answerCallbackQuery",
    });
    return {
      app: openTelegram(server),
      server,
      deaths: [
        { name: "the message is on its way", when: "after", method: "getUpdates", nth: 1 },
        // The open request for updates is the first one, because the message arrives in its response.
        { name: "the run is accepted", when: "before", method: "getUpdates", nth: 1 },
        { name: "the press is on its way", when: "after", method: "getUpdates", nth: 2 },
        ...deaths,
      ],
      receiving: "getUpdates",
      isRead: () => server.isRead,
    };
  },
  discord() {
    const server = new DiscordServer();
    const accepted = "POST /interactions/token/callback";
    const deaths = toDeaths({
      send: "POST /channels/messages",
      edit: "PATCH /channels/messages",
      acknowledge: "POST /webhooks/token",
    });
    return {
      app: openDiscord(server),
      server,
      deaths: [
        { name: "the message is on its way", when: "after", method: "MESSAGE_CREATE", nth: 1 },
        { name: "the press is on its way", when: "after", method: "INTERACTION_CREATE", nth: 1 },
        { name: "the press is accepted", when: "after", method: accepted, nth: 1 },
        ...deaths,
      ],
      receiving: "op 2",
      isRead: () => true,
    };
  },
};

/** Returns the points that all apps have, by the names of the requests. */
function toDeaths({ send, edit, acknowledge }: Record<"send" | "edit" | "acknowledge", string>) {
  return [
    { name: "the question is sent", when: "before", method: send, nth: 1 },
    { name: "the question is shown", when: "after", method: send, nth: 1 },
    { name: "the answer is stored", when: "before", method: acknowledge, nth: 1 },
    { name: "the press is acknowledged", when: "after", method: acknowledge, nth: 1 },
    { name: "the question is settled", when: "after", method: edit, nth: 1 },
    { name: "the result is sent", when: "before", method: send, nth: 2 },
    { name: "the result is shown", when: "after", method: send, nth: 2 },
  ] as const satisfies readonly ChatDeath[];
}
