// Opens the app of a chat. The packages of an app are loaded when a chat needs them.
import type { Clock } from "../../base/clock.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import type { ChatSettings } from "../../runtime/config/chat_schema.ts";
import { AppFailure, type ChatApp } from "./chat_app.ts";

const loadDiscord = lazyModule(() => import("./discord.ts"));
const loadSlack = lazyModule(() => import("./slack.ts"));
const loadTelegram = lazyModule(() => import("./telegram.ts"));

/** The sources of an app's secrets and of the time. */
export interface AppPorts {
  /** Returns the value of an environment variable. */
  lookup: (name: string) => string | undefined;
  clock: Clock;
}

/** Opens the app of a chat. Throws AppFailure if a token is not set. */
export async function openChatApp(
  { app, token, appToken = "", apiRoot }: ChatSettings,
  { lookup, clock }: AppPorts,
): Promise<ChatApp> {
  const secretOf = (name: string) => {
    const value = lookup(name)?.trim();
    if (value !== undefined && value !== "") return value;
    throw new AppFailure(`the variable ${name} is not set: add it to the .env file`);
  };
  const account = { token: secretOf(token), apiRoot, clock };
  switch (app) {
    case "telegram":
      return new (await loadTelegram()).Telegram(account);
    case "discord":
      return new (await loadDiscord()).Discord(account);
    case "slack":
      return new (await loadSlack()).Slack({ ...account, appToken: secretOf(appToken) });
  }
  return app satisfies never;
}
