// The chat apps that setup offers: the steps in the app until it shows its tokens, and the variables of the tokens.

/** The manifest of a Slack app, with the rights and events that a chat needs. docs/reference/chat-apps.md shows it, too. */
export const SLACK_MANIFEST = `display_information: { name: Inkling }
features:
  app_home: { messages_tab_enabled: true, messages_tab_read_only_enabled: false }
  bot_user: { display_name: Inkling, always_online: false }
oauth_config:
  scopes:
    bot: [app_mentions:read, chat:write, files:read, files:write, im:history, im:write, users:read]
settings:
  event_subscriptions: { bot_events: [app_mention, message.im] }
  interactivity: { is_enabled: true }
  socket_mode_enabled: true`;

/** The guide of an app. */
export interface ChatGuide {
  /** The name of the chat in config.yaml. */
  name: string;
  steps: readonly string[];
  /** A text to copy, after the steps. */
  block?: string;
  /** The tokens: the key of the chat's settings, the variable, and the question. */
  tokens: readonly { key: string; variable: string; message: string }[];
}

/** The guides by app. */
export const CHAT_GUIDES = {
  telegram: {
    name: "phone",
    steps: ["In Telegram, write to @BotFather: /newbot. It asks for two names and shows a token"],
    tokens: [{ key: "token", variable: "TELEGRAM_BOT_TOKEN", message: "Token of the bot" }],
  },
  slack: {
    name: "team",
    steps: [
      "At https://api.slack.com/apps, click Create New App, From a manifest, and paste the text below",
      "Click Install to Workspace. OAuth & Permissions shows the token xoxb-…",
      "Under Basic Information, App-Level Tokens, generate one with connections:write: xapp-…",
    ],
    block: SLACK_MANIFEST,
    tokens: [
      { key: "token", variable: "SLACK_BOT_TOKEN", message: "Token xoxb-…" },
      { key: "app_token", variable: "SLACK_APP_TOKEN", message: "App-level token xapp-…" },
    ],
  },
  discord: {
    name: "team",
    steps: [
      "At https://discord.com/developers/applications, click New Application. Under Bot, Reset Token shows the token",
      "Under Installation, Guild Install, add the scope bot, and the permissions View Channels, Send Messages, " +
      "Attach Files and Read Message History",
      "Open the Install Link there, and add the bot to a server that you are in",
    ],
    tokens: [{ key: "token", variable: "DISCORD_BOT_TOKEN", message: "Token of the bot" }],
  },
} as const satisfies Record<string, ChatGuide>;
