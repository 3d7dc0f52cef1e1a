// Converts between Discord's wire format and the messages of a chat.
import {
  type APIInteraction,
  type APIMessage,
  type APIUser,
  ButtonStyle,
  ComponentType,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  InteractionContextType,
  InteractionType,
  MessageFlags,
  MessageReferenceType,
  MessageType,
  type RESTPostAPIChannelMessageJSONBody,
} from "discord-api-types/v10";
import type { ButtonPress, ChatMessage, Post, Sender } from "./chat_app.ts";
import { toCommand } from "./conversations.ts";

/** The types of messages that people write. */
const WRITTEN: ReadonlySet<MessageType> = new Set([MessageType.Default, MessageType.Reply]);
/** The maximum length of a message, in UTF-16 code units. */
const MAX_CONTENT = 2_000;
const MAX_LABEL = 80;
const BUTTONS_IN_ROW = 5;
const MOST_BUTTONS = 25;
/** The beginning of Discord's time, in milliseconds since 1970. */
const EPOCH_MS = 1_420_070_400_000;
/** Ids follow the time, but messages of several places can arrive in another order. This is ten seconds of ids. */
const OVERLAP = 10_000n << 22n;

/** Returns the smallest id that Discord gives to a message of a time. */
export function toSnowflake(ms: number): bigint {
  return BigInt(Math.max(0, Math.floor(ms) - EPOCH_MS)) << 22n;
}

/** Returns an id from which the messages that follow the newest of `keys` are read, or undefined if there is none. */
export function newestOf(keys: readonly string[]): bigint | undefined {
  const ids = keys.filter((key) => /^\d{15,20}$/.test(key)).map(BigInt);
  if (ids.length === 0) return undefined;
  return ids.reduce((a, b) => a > b ? a : b) - OVERLAP;
}

/** Returns the message or press of an event. Undefined for everything else. */
export function toIncoming(
  { t: type, d: event }: GatewayDispatchPayload,
  botId: string,
): ChatMessage | ButtonPress | undefined {
  if (type === GatewayDispatchEvents.InteractionCreate) return toPress(event);
  if (type !== GatewayDispatchEvents.MessageCreate) return undefined;
  return toMessage(event, { botId, isGroup: event.guild_id !== undefined });
}

/** Returns a person's message. Undefined for messages of bots, and for a group's message that does not mention the bot. */
export function toMessage(
  message: APIMessage,
  { botId, isGroup }: { botId: string; isGroup: boolean },
): ChatMessage | undefined {
  const { id, author, message_reference: reference } = message;
  if (author.bot === true || message.webhook_id !== undefined || !WRITTEN.has(message.type)) {
    return undefined;
  }
  // Discord leaves out the text of a group's message without a mention, so it could answer a question with nothing.
  if (isGroup && !message.mentions.some((one) => one.id === botId)) return undefined;
  const isForwarded = reference?.type === MessageReferenceType.Forward;
  return {
    type: "message",
    key: id,
    place: message.channel_id,
    isGroup,
    sender: toSender(author),
    messageId: id,
    text: toCommand(message.content.replaceAll(new RegExp(`<@!?${botId}>`, "g"), "").trim()),
    sentAt: Date.parse(message.timestamp),
    replyTo: isForwarded ? null : reference?.message_id ?? null,
    isForwarded,
    isAddressed: true,
    files: message.attachments.map(({ filename: name, url: ref }) => ({ name, ref })),
  };
}

/** Returns a pressed button. Its key is the application, the id and the token. Undefined for every other interaction. */
function toPress(interaction: APIInteraction): ButtonPress | undefined {
  if (interaction.type !== InteractionType.MessageComponent) return undefined;
  const { application_id: app, id, token, channel, message, data } = interaction;
  const user = interaction.member?.user ?? interaction.user;
  if (user === undefined || channel === undefined) return undefined;
  return {
    type: "press",
    key: `${app}/${id}/${token}`,
    place: channel.id,
    // An app of a user can be used in the user's conversations with others.
    isGroup: interaction.guild_id !== undefined ||
      interaction.context === InteractionContextType.PrivateChannel,
    sender: toSender(user),
    messageId: message.id,
    data: data.custom_id,
  };
}

/** Returns the body of a message. Discord interprets texts as Markdown, so every mark is escaped. */
export function toPayload({ text, code, buttons = [] }: Post): RESTPostAPIChannelMessageJSONBody & {
  flags: MessageFlags;
} {
  const block = code === undefined ? "" : toBlock(code);
  const plain = escapeMarks(text);
  const row = buttons.flat().map(({ label, data }) => ({
    type: ComponentType.Button as const,
    style: ButtonStyle.Secondary as const,
    label: label.slice(0, MAX_LABEL),
    custom_id: data,
  }));
  // The last button of a long list ends a selection, so it stays.
  if (row.length > MOST_BUTTONS) row.splice(MOST_BUTTONS - 1, row.length - MOST_BUTTONS);
  return {
    content: (plain.length + block.length <= MAX_CONTENT ? plain : toBlock(text)) + block,
    components: Array.from({ length: Math.ceil(row.length / BUTTONS_IN_ROW) }, (_, index) => ({
      type: ComponentType.ActionRow as const,
      components: row.slice(index * BUTTONS_IN_ROW, (index + 1) * BUTTONS_IN_ROW),
    })),
    // Without this, a text could notify everybody.
    allowed_mentions: { parse: [] },
    flags: MessageFlags.SuppressEmbeds,
  };
}

/** Returns the text as a block in a fixed-width font. Three backticks would end it, so the first is replaced by its like. */
function toBlock(text: string): string {
  return `\`\`\`\n${text.replaceAll(/`(?=``)/g, "ˋ")}\n\`\`\``;
}

/** Puts a backslash before each mark of Markdown. Addresses stay: in them, a backslash would be a part of the address. */
function escapeMarks(text: string): string {
  const marks = /(https?:\/\/[\w\-./?=&%#~+:,;@!$]+)|[\\*_~`|<>[\]]|(?<=^\s*)[#+-]|:(?=\w+:)/gm;
  return text.replaceAll(marks, (mark, address) => address ?? `\\${mark}`);
}

function toSender({ id, username, global_name: name }: APIUser): Sender {
  return { id, name: name === null ? username : `${name} (@${username})` };
}
