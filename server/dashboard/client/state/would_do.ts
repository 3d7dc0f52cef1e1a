// The calls that a dry run described instead of making them, out of its log.
import { isJsonObject, type JsonObject } from "../../../../base/json.ts";
import type { Entry } from "./timeline.ts";

/** One such call. */
export interface DescribedCall {
  /** Whose it is: of the execution itself, or of one below it. */
  executionId: number | null;
  agentId: string;
  toolName: string;
  summary: string;
  /** Empty where no change of a file can be shown. */
  diff: string;
  /** Why that is so; null where nothing has to be said. */
  problem: string | null;
}

/** The calls in the order of the log. */
export function toDescribedCalls(entries: readonly Entry[]): DescribedCall[] {
  return entries.flatMap(({ payload }) => {
    const described = payload["would_do"];
    return Array.isArray(described) ? described.filter(isJsonObject).map(toDescribed) : [];
  });
}

function toDescribed(call: JsonObject): DescribedCall {
  const preview = isJsonObject(call["preview"]) ? call["preview"] : {};
  const { execution_id: id } = call;
  return {
    executionId: typeof id === "number" ? id : null,
    agentId: text(call["agent_id"]),
    toolName: text(call["tool_name"]),
    summary: text(call["summary"]),
    diff: text(preview["diff"]),
    problem: text(preview["problem"]) || null,
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
