// The payload of a frame, which is JSON from elsewhere: what is missing or of another kind counts as absent.
import { isJsonObject } from "../base/json.ts";

/** The payload of a frame, as the wire has it. */
export type FramePayload = Readonly<Record<string, unknown>>;

/** A text; empty where there is none. */
export function textOf(payload: FramePayload, name: string): string {
  const value = payload[name];
  return typeof value === "string" ? value : "";
}

/** A number, if there is one. */
export function numberOf(payload: FramePayload, name: string): number | undefined {
  const value = payload[name];
  return typeof value === "number" ? value : undefined;
}

/** The objects in an array; none where there is no array. */
export function objectsOf(payload: FramePayload, name: string): FramePayload[] {
  const value = payload[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The object that a JSON text holds, if it does. */
export function parseObject(text: string): FramePayload | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // No JSON: no object either.
    return undefined;
  }
}

/** A tool call as the model made it. */
export interface ToolCall {
  id: string;
  name: string;
  /** JSON text, as a rule. */
  args: string;
}

/** The calls of a reply's frame. */
export function callsOf(payload: FramePayload): ToolCall[] {
  return objectsOf(payload, "tools").map((tool) => ({
    id: textOf(tool, "id"),
    name: textOf(tool, "name"),
    args: textOf(tool, "args"),
  }));
}

/** Returns the end of a delegated execution from a result of `run_agent`; undefined for an error. */
export function delegatedOf(content: string): FramePayload | undefined {
  // Behind it may stand what a person said of it.
  return parseObject(content.split("\n", 1)[0] ?? "");
}

/** A call that a dry run described instead of making it. */
export interface DescribedCall {
  /** The execution of the call: the dry run itself, or one below it. */
  executionId: number | undefined;
  agentId: string;
  toolName: string;
  summary: string;
  /** Empty where no change of a file can be shown. */
  diff: string;
  /** The reason why there is no preview; empty if none is needed. */
  problem: string;
  /** True for a call about a file. */
  hasPreview: boolean;
}

/** The described calls of a frame. */
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
