// Drafts an agent file with a model, from a person's description. The draft is validated before a person sees it.
import type { AssistantMessage, Message } from "../../runtime/models/message.ts";
import { type Model, ModelError } from "../../runtime/models/model.ts";
import { isJsonObject } from "../../base/json.ts";
import { dropControls } from "../../base/text/unseen_characters.ts";

/** The request to the drafting model. */
export interface DraftRequest {
  id: string;
  /** The agent's purpose, as a person describes it. */
  description: string;
  /** The previous draft and the requested change. Absent for a first draft. */
  revision?: { text: string; change: string };
}

/** The model, its limits and the validation of a draft. */
export interface DraftOptions {
  model: Model;
  temperature: number;
  maxTokens: number;
  /** The names of the tools that the agent may use. */
  toolNames: readonly string[];
  /** Returns the reasons why a text may not be saved as an agent file, one sentence each. Empty if it may. */
  findProblems: (text: string) => Promise<string[]>;
  signal: AbortSignal;
}

const REPAIRS = 1;

/**
 * Asks the model for an agent file and returns a text without problems. The model gets one chance to fix its first text.
 * Throws ModelError if the second text has problems, too, the errors of a call, or the signal's reason.
 */
export async function draftAgent(request: DraftRequest, options: DraftOptions): Promise<string> {
  const messages = openingOf(request, options.toolNames);
  for (let attempt = 0;; attempt++) {
    const reply = await ask(messages, options);
    const text = extractFile(reply.content);
    const problems = text === undefined
      ? ["The reply is not an agent file: its first line must be ---"]
      : await options.findProblems(text);
    if (text !== undefined && problems.length === 0) return text;
    if (attempt === REPAIRS) {
      throw unusable(`what it wrote is not a valid agent file: ${problems[0]}`);
    }
    const list = problems.map((problem) => `- ${problem}`).join("\n");
    messages.push(
      { role: "assistant", content: reply.content, toolCalls: [] },
      {
        role: "user",
        content: `That file cannot be used:\n\n${list}\n\nReply with the whole corrected file.`,
      },
    );
  }
}

/** Returns the error for a reply that is no file. The message is the reason, to be printed after a colon. */
function unusable(reason: string): ModelError {
  return new ModelError(reason, { retryable: false });
}

async function ask(messages: readonly Message[], options: DraftOptions): Promise<AssistantMessage> {
  const { model, temperature, maxTokens, signal } = options;
  const stream = model.generate({ messages, tools: [], temperature, maxTokens }, { signal });
  let next = await stream.next();
  while (!next.done) next = await stream.next();
  const { message, stop } = next.value;
  if (stop === "refusal" || stop === "content_filter") {
    throw unusable(`it refuses: ${firstLine(message.content) || "it gives no reason"}`);
  }
  if (stop === "length") {
    throw unusable(`its reply is longer than ${maxTokens} tokens`);
  }
  return message;
}

function openingOf(request: DraftRequest, toolNames: readonly string[]): Message[] {
  const { id, description, revision } = request;
  const messages: Message[] = [
    { role: "system", content: instructions(toolNames) },
    { role: "user", content: `Write the agent "${id}". This is what it is for:\n\n${description}` },
  ];
  if (revision === undefined) return messages;
  return [
    ...messages,
    { role: "assistant", content: revision.text, toolCalls: [] },
    {
      role: "user",
      content: `Change the file, and reply with all of it:\n\n${revision.change}`,
    },
  ];
}

/**
 * Extracts the agent file from a reply: models often write a sentence and a Markdown fence around it, against their
 * instructions. Returns undefined if the reply contains none.
 */
function extractFile(reply: string): string | undefined {
  const lines = reply.replaceAll("\r\n", "\n").trim().split("\n");
  const isFile = (from: number) => /^---[ \t]*$/.test(lines[from] ?? "");
  if (isFile(0)) return `${lines.join("\n")}\n`;
  const open = lines.findIndex((line, i) => /^(`{3,}|~{3,})\w*[ \t]*$/.test(line) && isFile(i + 1));
  if (open < 0) return undefined;
  const [fence = ""] = /^[`~]+/.exec(lines[open] ?? "") ?? [];
  // The last closing fence ends the file, because the file's text may contain fences.
  const close = lines.findLastIndex((line, i) => i > open && line.trim() === fence);
  return `${lines.slice(open + 1, close < 0 ? lines.length : close).join("\n").trimEnd()}\n`;
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]?.slice(0, 200) ?? "";
}

function instructions(toolNames: readonly string[]): string {
  return `You write agent files for Inkling. Inkling runs an agent when somebody asks for it, by schedule, \
or when files change; the agent's model then reads the file's text as its task and works with tools until it is done.

An agent file is Markdown: YAML front matter between two lines ---, then the task. Reply with the file and nothing \
else, no code fence around it. Its first line is ---.

Front matter (leave out what is not needed; quote a value that holds ": " or begins with a special character):

- description: one line for lists
- trigger: one of
  {type: schedule, every: 30m}                   units s, m, h, d
  {type: schedule, cron: "30 8 * * 1-5"}         five fields, local time
  {type: watch, paths: [inbox]}                  when files there change
  Without it the agent runs on request only.
- paths: a map of alias to path, relative to the workspace: the only places that its file tools reach, for reading and \
writing. Without it: the whole workspace. Aliases are lower-case letters, digits and _.
- history: low, medium, high or off: how much of its earlier runs it sees
- confirm: [tool names] that ask a person before they run; file_write and file_delete do anyway
- settings: {max_tool_calls: 50, timeout: 300}

Never write id, model, auto_approve, tools or mcp: a person adds those.

Its tools: ${toolNames.join(", ")}.

The task speaks to the agent as "you". Say what to look at, what to do in which order, what to write where and in which \
form, and what to do when something is missing or there is nothing to do. Concrete, short, no headings for their own sake. \
{alias} in it stands for that path.`;
}

const PERSONAL_FIELDS = ["auto_approve", "custom_tools", "tools", "mcp"];
const PERSONAL_MODEL_FIELDS = ["base_url", "url", "api_key_env"];

/** Returns a sentence about the invisible characters of a text, or undefined if there are none. */
export function describeUnseen(text: string): string | undefined {
  return dropControls(text) === text ? undefined : "The file contains invisible control characters";
}

/** Returns one sentence for each front matter field that only a person may set. */
export function describeForbidden(written: Readonly<Record<string, unknown>>): string[] {
  const { model } = written;
  return [
    ...PERSONAL_FIELDS.filter((field) => written[field] != null),
    ...PERSONAL_MODEL_FIELDS.filter((field) => isJsonObject(model) && model[field] != null)
      .map((field) => `model.${field}`),
  ].map((field) => `Leave ${field} out: a person decides about it`);
}
