// Reads the messages that a request brings: its history, and the pictures of its message. Loaded with the first such request.
import { Buffer } from "node:buffer";
import { readMedia } from "../../models/adaptation/read_media.ts";
import type { Message, UserMessage } from "../../models/message.ts";
import { requireExecution } from "../record/execution_reads.ts";
import type { RunnerPorts } from "./runner_ports.ts";
import { wholeHistory } from "../loop/history.ts";
import { ConversationGone, ConversationOpen, PictureUnusable } from "../refusals.ts";
import { isFinal } from "../states.ts";
import type { BroughtMessage, BroughtMessages } from "../execution_request.ts";

type Ports = Pick<RunnerPorts, "conversations" | "executions" | "keyRedactor">;

/**
 * Returns the history, followed by a user turn that has the pictures of the request's message and their description. Throws
 * PictureUnusable, ExecutionNotFound, ConversationOpen and ConversationGone.
 */
export async function readBrought(
  { history = [], continues, pictures = [] }: BroughtMessages,
  ports: Ports,
): Promise<Message[]> {
  const earlier = continues === undefined
    ? history.map((one) => toMessage(one, ports))
    : await readConversation(continues, ports);
  return [...earlier, toMessage({ role: "user", content: "", pictures }, ports)];
}

function toMessage(
  { role, content, pictures = [] }: BroughtMessage,
  { keyRedactor }: Ports,
): Message {
  const text = keyRedactor.redactValue(content);
  if (role === "assistant") return { role, content: text, toolCalls: [], stop: "end" };
  const read = pictures.map((data) => readMedia(Buffer.from(data, "base64")));
  const message: UserMessage = { role, content: text };
  const media = read.flatMap((one) => {
    if (one?.kind !== "image") throw new PictureUnusable();
    message.content += `\n\n${one.text}`;
    return one.media ?? [];
  });
  return media.length === 0 ? message : { ...message, media };
}

async function readConversation(id: number, ports: Ports): Promise<Message[]> {
  const { execution } = await requireExecution(ports.executions, id);
  if (!isFinal(execution.status)) throw new ConversationOpen(id);
  const { messages } = await ports.conversations.readConversation(id);
  if (messages.length === 0) throw new ConversationGone(id, "continue");
  return wholeHistory({ execution, messages: messages.map(({ message }) => message) });
}
