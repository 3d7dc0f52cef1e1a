// Asks the app of each chat whether it accepts the token. `validate` reports everything that needs no request.
import type { ChatSettings } from "../../runtime/config/chat_schema.ts";
import { channelVariables } from "../../runtime/config/notify_schema.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import type { Check } from "./finding.ts";

/** Returns the reason why the app of a chat cannot be used, or undefined. */
export type TryChat = (
  chat: ChatSettings,
  settings: WorkspaceSettings,
) => Promise<string | undefined>;

/** Returns one check for each chat whose tokens are set. */
export function chatChecks(settings: WorkspaceSettings, tryChat: TryChat | undefined): Check[] {
  if (tryChat === undefined) return [];
  return settings.config.chats.flatMap((chat) => {
    const { name, apiRoot } = chat;
    const tokens = channelVariables({ channels: { [name]: { type: "chat", ...chat } } });
    const isSet = (token: string) => (settings.environment.get(token)?.trim() ?? "") !== "";
    if (!tokens.every(isSet)) return [];
    return [async () => {
      const problem = await tryChat(chat, settings);
      if (problem === undefined) return [];
      const remedy = `check the value of ${tokens.join(" and ")}, and the connection to ${apiRoot}`;
      return [{ severity: "error", subject: `chat ${name}`, problem, remedy }];
    }];
  });
}
