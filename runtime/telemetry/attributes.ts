// Creates the attributes of spans and metrics, by OpenTelemetry's conventions for generative AI
// (semantic-conventions-genai, status "development"). Names outside of the conventions begin with `inkling.`. No other file
// decides which data is exported.
import type { Attributes, AttributeValue } from "@opentelemetry/api";
import { findProvider } from "../config/providers.ts";
import type { Execution } from "../executions/execution.ts";
import { type ExecutionStatus, isFinal } from "../executions/states.ts";
import type { AskedModel, ToolUse } from "../executions/loop/telemetry.ts";
import { ModelError, type ModelReply, type StopReason } from "../models/model.ts";

/** The names in the conventions for endpoints that are no named providers, by the names that people give them. */
const ENDPOINT_NAMES: ReadonlyMap<string, string> = new Map(Object.entries({
  mistral: "mistral_ai",
  moonshot: "moonshot_ai",
  xai: "x_ai",
}));

/** Returns the attributes of the model `provider/name`. Empty for an empty id. */
export function modelAttributes(id: string): Attributes {
  const slash = id.indexOf("/");
  if (slash < 0) return {};
  const provider = id.slice(0, slash);
  return {
    "gen_ai.provider.name": findProvider(provider)?.telemetryName ??
      ENDPOINT_NAMES.get(provider) ?? provider,
    "gen_ai.request.model": id.slice(slash + 1),
  };
}

/** Returns the attributes of an execution's span. */
export function executionAttributes(execution: Execution): Attributes {
  const { id, agentId, displayName, model, trigger, parentExecutionId, sessionId } = execution;
  return {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.id": agentId,
    "gen_ai.agent.name": displayName,
    ...modelAttributes(model),
    ...(sessionId !== null && { "gen_ai.conversation.id": sessionId }),
    "inkling.execution.id": integer(id),
    "inkling.execution.trigger": trigger,
    ...(parentExecutionId !== null &&
      { "inkling.execution.parent_id": integer(parentExecutionId) }),
  };
}

/** Returns the attributes of a model call's span. */
export function requestAttributes({ execution, model, agent }: AskedModel): Attributes {
  const { temperature, maxTokens } = agent.settings;
  return {
    "gen_ai.operation.name": "chat",
    ...modelAttributes(model.id),
    "gen_ai.request.max_tokens": integer(maxTokens),
    ...(temperature !== undefined && { "gen_ai.request.temperature": temperature }),
    "gen_ai.request.stream": true,
    ...(execution.sessionId !== null && { "gen_ai.conversation.id": execution.sessionId }),
    "inkling.execution.id": integer(execution.id),
  };
}

/** Returns the attributes of a model's reply, for the span of the model call. */
export function replyAttributes({ stop, usage }: ModelReply): Attributes {
  return {
    "gen_ai.response.finish_reasons": [finishReason(stop)],
    ...(usage !== null && {
      "gen_ai.usage.input_tokens": integer(usage.inputTokens),
      "gen_ai.usage.output_tokens": integer(usage.outputTokens),
      ...(usage.cacheReadTokens > 0 &&
        { "gen_ai.usage.cache_read.input_tokens": integer(usage.cacheReadTokens) }),
      ...(usage.cacheWriteTokens > 0 &&
        { "gen_ai.usage.cache_creation.input_tokens": integer(usage.cacheWriteTokens) }),
    }),
  };
}

/** Returns the attributes of a tool call's span. Arguments and results may contain secrets, so they are left out. */
export function toolAttributes({ execution, call }: ToolUse): Attributes {
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": call.name,
    "gen_ai.tool.call.id": call.toolCallId,
    "gen_ai.tool.type": "function",
    "gen_ai.agent.id": execution.agentId,
    "gen_ai.agent.name": execution.displayName,
    "inkling.execution.id": integer(execution.id),
  };
}

/** Returns the `error.type` for an execution's status. Undefined if the execution did not fail. */
export function statusError(status: ExecutionStatus): string | undefined {
  return status === "success" || !isFinal(status) ? undefined : status;
}

/**
 * Returns the `error.type` of a thrown error: an HTTP status or the error's class. The message is left out, because it
 * may contain anything.
 */
export function thrownError(error: unknown): string {
  if (error instanceof ModelError && error.status !== undefined) return String(error.status);
  return error instanceof Error ? error.name : "_OTHER";
}

/**
 * Converts a number to an exported integer: a BigInt, because Deno exports every number as a double. The API's types do not
 * include BigInt.
 */
function integer(value: number): AttributeValue {
  return (Number.isSafeInteger(value) ? BigInt(value) : value) as AttributeValue;
}

function finishReason(stop: StopReason): string {
  return stop === "end" ? "stop" : stop;
}
