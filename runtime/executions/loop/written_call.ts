// Parses tool calls that a model wrote as text because its server did not convert them. A reply counts as calls only if it
// contains nothing else. Loaded for replies that begin like a call.
import { isJsonObject, isWholeJson, type JsonObject } from "../../../base/json.ts";
import type { AssistantMessage, ToolCall } from "../../models/message.ts";
import type { ModelReply } from "../../models/model.ts";
import { inventCallId } from "../../models/providers/tool_call_assembly.ts";
import type { Tool } from "../../tools/definition/tool.ts";
import type { Outcome } from "../record/ending_store.ts";
import { toJsonText } from "./fit_answer.ts";
import { repairName } from "./repair_calls.ts";
import type { Run } from "./run.ts";

/** The calls in a text, or the reason why a call cannot be made. */
export type WrittenCalls = { calls: ToolCall[] } | { fault: string };

type Part = { name: string; args: string };
type Find = (name: string) => Pick<Tool, "parameters"> | undefined;

const NAMES = ["name", "tool", "tool_name", "function"];
const ARGUMENTS = ["arguments", "parameters", "args", "input", "tool_input"];
const BESIDE = ["type", "id"];

const TAKEN =
  "The model wrote its tool call as text: it counts as a call, and waits for approval unless its tool only reads";

/**
 * Converts a reply that consists of calls written as text to a reply with calls. Replies of runs with native calls stay
 * unchanged.
 */
export async function convertWrittenCalls(run: Run, reply: ModelReply): Promise<ModelReply> {
  const messages = run.conversation.messages();
  const start = messages.findLastIndex((one) => one.role === "user" && !one.injected);
  const isNative = messages.slice(start + 1).some((one) =>
    one.role === "assistant" && one.toolCalls.some(({ written }) => !written)
  );
  const read = isNative ? undefined : readWrittenCalls(reply.message.content, find(run));
  if (read === undefined || "fault" in read) return reply;
  await run.journal.notice("info", TAKEN);
  const message = { ...reply.message, content: "", toolCalls: read.calls };
  return { ...reply, message, stop: "tool_calls" };
}

/** Returns the outcome of a run whose answer is a call that cannot be made. Undefined for other answers. */
export function judgeWrittenCall(run: Run, { content }: AssistantMessage): Outcome | undefined {
  const read = readWrittenCalls(content, find(run));
  if (read === undefined || "calls" in read) return undefined;
  const error = `The model wrote a tool call as text that cannot be made: ${read.fault}. ` +
    "Its server may need a chat template with tools, or the agent another model";
  return { status: "error", error, output: null };
}

const find = ({ toolbox }: Run): Find => (name) => toolbox.get(repairName(name, toolbox));

/** Parses the text of a reply. Returns undefined if it contains no call. `find` returns an offered tool by its name. */
export function readWrittenCalls(content: string, find: Find): WrittenCalls | undefined {
  const text = content.trim();
  const parts = readTags(text, find) ?? readJson(text, find);
  if (parts === undefined || "fault" in parts) return parts;
  const unknown = parts.find(({ name }) => find(name) === undefined);
  if (unknown !== undefined) return { fault: `it names ${unknown.name}, which is no tool` };
  return {
    calls: parts.map(({ name, args }) => (
      { id: inventCallId(), name, arguments: args, written: true as const }
    )),
  };
}

const WRAPPER = /^<(tool_calls?|function_calls)>\s*([^]*?)\s*(?:<\/\1>|$)\s*/;
const FUNCTION =
  /^<(?:function=([\w.-]+)|(?:function|invoke) name="([\w.-]+)")>([^]*?)(?:<\/(?:function|invoke)>|$)\s*/;

/** Parses consecutive calls in tags. Returns undefined if the text contains anything else. */
function readTags(text: string, find: Find): Part[] | { fault: string } | undefined {
  const parts: Part[] = [];
  for (let rest = text; rest !== "";) {
    const wrapped = WRAPPER.exec(rest);
    const called = FUNCTION.exec(wrapped?.[2] ?? rest);
    const taken = wrapped?.[0] ?? called?.[0];
    // A tag without its end tag counts as a call only if a call begins in it. Otherwise the text is about the tag.
    const isWhole = taken?.trimEnd().endsWith(">") || /^\s*<[^>]*>\s*[{<]/.test(taken ?? "");
    if (taken === undefined || !isWhole) return undefined;
    rest = rest.slice(taken.length);
    if (called === null) {
      const inside = readObject(toJsonText(wrapped?.[2] ?? ""));
      if (inside === undefined) return { fault: "it does not parse" };
      parts.push(...inside);
      continue;
    }
    for (let inner = wrapped?.[2] ?? taken; inner !== "";) {
      const [whole, one, other, body = ""] = FUNCTION.exec(inner) ?? [];
      const name = one ?? other ?? "";
      const args = whole === undefined ? undefined : readParameters(body.trim(), find(name));
      if (whole === undefined || args === undefined) return { fault: "it does not parse" };
      parts.push({ name, args });
      inner = inner.slice(whole.length);
    }
  }
  return parts.length === 0 ? undefined : parts;
}

const PARAMETER = /^<parameter(?:=([\w.-]+)| name="([\w.-]+)")>\n?([^]*?)\n?<\/parameter>\s*/;

/** Parses the arguments of a call in tags: parameters in tags, or JSON. */
function readParameters(body: string, tool: ReturnType<Find>): string | undefined {
  if (body.startsWith("{")) return isWholeJson(body) ? body : undefined;
  const properties = isJsonObject(tool?.parameters.properties) ? tool.parameters.properties : {};
  const args: JsonObject = {};
  for (let rest = body; rest !== "";) {
    const [whole, one, other, value = ""] = PARAMETER.exec(rest) ?? [];
    if (whole === undefined) return undefined;
    const name = one ?? other ?? "";
    const schema = properties[name];
    const isText = !isJsonObject(schema) || [schema.type].flat().includes("string");
    args[name] = !isText && isWholeJson(value) ? JSON.parse(value) : value;
    rest = rest.slice(whole.length);
  }
  return JSON.stringify(args);
}

/**
 * Parses calls of existing tools in JSON, with or without a Markdown fence. Returns a fault for invalid JSON that begins
 * like a call.
 */
function readJson(text: string, find: Find): Part[] | { fault: string } | undefined {
  const body = toJsonText(text);
  const parts = readObject(body);
  if (parts !== undefined) return parts.every(({ name }) => find(name)) ? parts : undefined;
  const [, name] = /^\[?\s*\{\s*"(?:name|tool|tool_name|function)"\s*:\s*"([^"]+)"/.exec(body) ??
    [];
  const isCall = name !== undefined && find(name) !== undefined && !isWholeJson(body);
  return isCall ? { fault: "it does not parse" } : undefined;
}

/** Parses the JSON of one call or of a list of calls. Returns undefined for other JSON. */
function readObject(text: string): Part[] | undefined {
  if (!isWholeJson(text)) return undefined;
  const calls = [JSON.parse(text) as unknown].flat().map(toPart);
  const parts = calls.filter((one) => one !== undefined);
  return parts.length === calls.length && parts.length > 0 ? parts : undefined;
}

function toPart(value: unknown): Part | undefined {
  if (!isJsonObject(value)) return undefined;
  if (isJsonObject(value.function)) return toPart(value.function);
  const name = NAMES.find((key) => typeof value[key] === "string");
  const key = ARGUMENTS.find((one) => value[one] !== undefined);
  if (name === undefined || key === undefined) return undefined;
  const others = Object.keys(value).filter((one) => one !== name && one !== key);
  if (others.some((one) => !BESIDE.includes(one))) return undefined;
  const args = value[key];
  if (typeof args === "string") return { name: String(value[name]), args };
  return isJsonObject(args) ? { name: String(value[name]), args: JSON.stringify(args) } : undefined;
}
