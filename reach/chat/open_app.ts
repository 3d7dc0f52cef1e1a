// Opens the app of a chat. The packages of an app are loaded when a chat needs them.
import { lazyModule } from "../../base/lazy_module.ts";
import type { ChatSettings } from "../../runtime/config/chat_schema.ts";
import type { Context } from "../../runtime/config/context.ts";
import type { Environment } from "../../runtime/config/files/environment.ts";
import type { ChatApp } from "./chat_app.ts";
import { secretOf } from "../../runtime/vocabulary/delivery_failure.ts";

const loadDiscord = lazyModule(() => import("./discord.ts"));
const loadSlack = lazyModule(() => import("./slack.ts"));
const loadTelegram = lazyModule(() => import("./telegram.ts"));

/** The sources of an app's secrets and of the time. */
export interface AppPorts extends Pick<Context, "clock"> {
  environment: Pick<Environment, "get">;
}

/** Opens the app of a chat. Throws DeliveryFailure if a token is not set. */
export async function openChatApp(
  { app, token, appToken = "", apiRoot }: ChatSettings,
  { environment, clock }: AppPorts,
): Promise<ChatApp> {
  const account = { token: secretOf(token, environment), apiRoot, clock };
  switch (app) {
    case "telegram":
      return new (await loadTelegram()).Telegram(account);
    case "discord":
      return new (await loadDiscord()).Discord(account);
    case "slack":
      return new (await loadSlack()).Slack({
        ...account,
        appToken: secretOf(appToken, environment),
      });
  }
  return app satisfies never;
}
