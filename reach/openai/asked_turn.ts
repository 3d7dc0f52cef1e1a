// The user turn of a request, as both forms of the endpoint describe it: the message, its pictures, and the history.
import { z } from "zod";
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
  const place = z.core.toDotPath(path);
  throw new OpenAiError(place === "" ? message : `${place}: ${message}`, {
    param: place || null,
    code: "invalid_value",
  });
}

/** The features of requests whose absence their clients would misread, each with its remedy. */
const REFUSED = {
  tools:
    "An agent runs its own tools and cannot call tools of the client: remove them, and name tools in the agent's file",
  functions: "An agent runs its own tools: remove functions, and name tools in the agent's file",
  n: "An agent gives one answer: remove n",
  background: "Send the request without background, or streamed",
  conversation: "Send previous_response_id, or the header X-Session-Id, instead",
  response_format: "The form of an agent's answer is output.schema in its file: remove the format",
  "text.format": "The form of an agent's answer is output.schema in its file: remove the format",
};

/** Throws OpenAiError for the first feature that a request uses. The others, such as `temperature`, are ignored. */
export function refuseUnsupported(
  uses: { readonly [Param in keyof typeof REFUSED]?: boolean | undefined },
): void {
  for (const [param, message] of Object.entries(REFUSED)) {
    if (uses[param as keyof typeof REFUSED] !== true) continue;
    throw new OpenAiError(message, { param, code: "unsupported_parameter" });
  }
}

/** Returns true for a format of answers that is not plain text. */
export function isForm(format: { type: string } | null | undefined): boolean {
  return format != null && format.type !== "text";
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
