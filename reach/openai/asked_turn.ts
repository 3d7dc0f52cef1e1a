// The user turn of a request, as both forms of the endpoint describe it: the message, its pictures, and the history.
import type { z } from "zod";
import { OpenAiError } from "./openai_error.ts";

/** A message of the history. `pictures` are in base64. */
export interface HistoryMessage {
  role: "user" | "assistant";
  content: string;
  pictures: string[];
}

/** The user turn of a request. */
export interface AskedTurn {
  /** The id of the agent. */
  model: string;
  message: string;
  pictures: string[];
  /** The system messages, which are the caller's words. Empty if there are none. */
  context: string;
  history: HistoryMessage[];
  /** The execution whose conversation goes on. */
  continues?: number;
}

/** A part of a message's content, as both forms write it. */
export interface ContentPart {
  type: string;
  text?: string | undefined;
  refusal?: string | undefined;
  image_url?: string | { url: string } | undefined;
}

const PICTURE = /^data:image\/[\w.+-]+;base64,([A-Za-z0-9+/=\s]+)$/;

/** Returns the text and the pictures of a content. `place` is its place in the request. */
export function readContent(
  content: string | readonly ContentPart[],
  place: string,
): { content: string; pictures: string[] } {
  if (typeof content === "string") return { content, pictures: [] };
  const texts: string[] = [];
  const pictures: string[] = [];
  for (const [index, part] of content.entries()) {
    const param = `${place}[${index}]`;
    const { type, text, refusal, image_url: image } = part;
    if (type === "image_url" || type === "input_image") {
      const url = typeof image === "string" ? image : image?.url;
      const [, data] = PICTURE.exec(url ?? "") ?? [];
      if (data === undefined) {
        throw new OpenAiError("A picture must be a data: URL in base64; addresses are not read", {
          param,
          code: "invalid_image_url",
        });
      }
      pictures.push(data);
    } else if (/^(input_|output_)?text$/.test(type) && text !== undefined) texts.push(text);
    else if (type === "refusal" && refusal !== undefined) texts.push(refusal);
    else {
      throw new OpenAiError(
        `A part of the type "${type}" is not supported: send text or pictures`,
        {
          param,
          code: "unsupported_content",
        },
      );
    }
  }
  return { content: texts.join("\n"), pictures };
}

/** Validates a body. Throws the first problem as an OpenAiError with its place. */
export function checkBody<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const { path = [], message = "Invalid" } = result.error.issues[0] ?? {};
  const place = path.reduce<string>(
    (text, part) =>
      typeof part === "number"
        ? `${text}[${part}]`
        : text === ""
        ? String(part)
        : `${text}.${String(part)}`,
    "",
  );
  throw new OpenAiError(place === "" ? message : `${place}: ${message}`, {
    param: place || null,
    code: "invalid_value",
  });
}

/** Refuses the features of a request whose absence its client would misread. The others, such as `temperature`, are ignored. */
export function refuseUnsupported(
  { tools, functions, n, format, isBackground, hasConversation }: {
    tools?: readonly unknown[] | null | undefined;
    functions?: readonly unknown[] | null | undefined;
    n?: number | null | undefined;
    format?: { param: string; type: string | undefined };
    isBackground?: boolean;
    hasConversation?: boolean;
  },
): void {
  const refuse = (param: string, message: string) => {
    throw new OpenAiError(message, { param, code: "unsupported_parameter" });
  };
  if (tools?.length || functions?.length) {
    refuse(
      tools?.length ? "tools" : "functions",
      "An agent runs its own tools and cannot call tools of the client: remove them, and name tools in the agent's file",
    );
  }
  if (n != null && n > 1) refuse("n", "An agent gives one answer: remove n");
  if (isBackground) refuse("background", "Send the request without background, or streamed");
  if (hasConversation) {
    refuse("conversation", "Send previous_response_id, or the header X-Session-Id, instead");
  }
  if (format?.type !== undefined && format.type !== "text") {
    refuse(
      format.param,
      "The form of an agent's answer is output.schema in its file: remove the response format",
    );
  }
}

/**
 * Refuses Open WebUI's own requests for titles, tags and suggestions, which must start no agent. It then uses the first
 * message as title.
 */
export function refuseTask({ message, history }: AskedTurn): void {
  if (history.length > 0 || !/^### Task:\s/.test(message)) return;
  if (!/<chat_history>|### (?:Output|Guidelines|Instructions):/.test(message)) return;
  throw new OpenAiError(
    "This is a request of the chat program for a title, tags or suggestions, and starts no agent. " +
      "Choose another model for them: in Open WebUI, Admin Settings, Interface, Task Model",
    { code: "task_request" },
  );
}
