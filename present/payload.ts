// Reads the payload of a frame, which is untrusted JSON. A field with a value of another type counts as missing.
import { isJsonObject } from "../base/json.ts";
import type { PreviewBody } from "../api/schemas/request_schemas.ts";

/** The parsed payload of a frame. */
export type FramePayload = Readonly<Record<string, unknown>>;

/** Returns the text of a field, or an empty text if the value of the field is no text. */
export function textOf(payload: FramePayload, name: string): string {
  const value = payload[name];
  return typeof value === "string" ? value : "";
}

/** Returns the number of a field, or undefined if the value of the field is no number. */
export function numberOf(payload: FramePayload, name: string): number | undefined {
  const value = payload[name];
  return typeof value === "number" ? value : undefined;
}

/** Returns the objects in an array field, or an empty list if the field is no array. */
export function objectsOf(payload: FramePayload, name: string): FramePayload[] {
  const value = payload[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Returns a parsed JSON object, or undefined for any other text. */
export function parseObject(text: string): FramePayload | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A tool call as the model made it. */
export interface ToolCall {
  id: string;
  name: string;
  /** The arguments as the model wrote them, usually JSON text. */
  args: string;
}

/** Returns the tool calls in the frame of a reply. */
export function callsOf(payload: FramePayload): ToolCall[] {
  return objectsOf(payload, "tools").map((tool) => ({
    id: textOf(tool, "id"),
    name: textOf(tool, "name"),
    args: textOf(tool, "args"),
  }));
}

/** Returns the result of a delegated execution from the content of a `run_agent` result; undefined for an error. */
export function delegatedOf(content: string): FramePayload | undefined {
  // Parse only the first line, because a user's comment may follow it.
  return parseObject(content.split("\n", 1)[0] ?? "");
}

/** A call that a dry run described instead of making it. */
export interface DescribedCall {
  /** The id of the execution that made the call: the dry run, or an execution below it. */
  executionId: number | undefined;
  agentId: string;
  toolName: string;
  summary: string;
  /** The diff of the file change; empty if no diff can be shown. */
  diff: string;
  /** The reason for a missing preview; empty if the call needs no preview. */
  problem: string;
  /** True for a call about a file. */
  hasPreview: boolean;
}

/** Returns the calls that a dry run described in a frame. */
export function describedOf(payload: FramePayload): DescribedCall[] {
  return objectsOf(payload, "would_do").map((call) => {
    const preview = isJsonObject(call["preview"]) ? call["preview"] : undefined;
    return {
      executionId: numberOf(call, "execution_id"),
      agentId: textOf(call, "agent_id"),
      toolName: textOf(call, "tool_name"),
      summary: textOf(call, "summary"),
      diff: textOf(preview ?? {}, "diff"),
      problem: textOf(preview ?? {}, "problem"),
      hasPreview: preview !== undefined,
    };
  });
}

/** A change of a file with its diff. */
export type FileChange = Omit<PreviewBody, "problem">;

/** Returns the change that a call made in a file, from the frame of its result; null if there is none. */
export function changeOf(payload: FramePayload): FileChange | null {
  const { change } = payload;
  if (!isJsonObject(change)) return null;
  return {
    path: textOf(change, "path"),
    diff: textOf(change, "diff"),
    added: numberOf(change, "added") ?? 0,
    removed: numberOf(change, "removed") ?? 0,
    is_new_file: change["is_new_file"] === true,
  };
}
