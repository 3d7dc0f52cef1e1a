// Reads the payload of a frame, which is untrusted JSON. A missing field and one of another type count as absent.
import { isJsonObject } from "../base/json.ts";

/** The payload of a frame as it is sent. */
export type FramePayload = Readonly<Record<string, unknown>>;

/** Returns the text of a field; empty if it has none. */
export function textOf(payload: FramePayload, name: string): string {
  const value = payload[name];
  return typeof value === "string" ? value : "";
}

/** Returns the number of a field, if it has one. */
export function numberOf(payload: FramePayload, name: string): number | undefined {
  const value = payload[name];
  return typeof value === "number" ? value : undefined;
}

/** Returns the objects in an array field; empty if it is no array. */
export function objectsOf(payload: FramePayload, name: string): FramePayload[] {
  const value = payload[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Parses a JSON object; undefined for any other text. */
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
  /** Usually JSON text. */
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

/** Returns the end of a delegated execution from a result of `run_agent`; undefined for an error. */
export function delegatedOf(content: string): FramePayload | undefined {
  // The user's comment may follow on further lines.
  return parseObject(content.split("\n", 1)[0] ?? "");
}

/** A call that a dry run described instead of making it. */
export interface DescribedCall {
  /** The execution of the call: the dry run itself, or one below it. */
  executionId: number | undefined;
  agentId: string;
  toolName: string;
  summary: string;
  /** The file change; empty if there is none to show. */
  diff: string;
  /** The reason why there is no preview; empty if none is needed. */
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
