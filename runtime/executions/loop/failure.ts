// Converts the errors of runs to outcomes.
import type { TransientFailure } from "../../config/agent_settings.ts";
import { OutputSchemaUnusable } from "../../agents/output_schema.ts";
import { RuntimeError } from "../../../base/errors.ts";
import { NoDescriptorLeft } from "../../../base/free_descriptors.ts";
import { ModelError } from "../../models/model.ts";
import type { Context } from "../../config/context.ts";
import { TextTooLong } from "../../../base/text/substitute.ts";
import { ToolsUnavailable } from "../../tools/failures/tools_unavailable.ts";
import { AgentTextUnusable } from "../refusals.ts";
import type { Execution } from "../execution.ts";
import type { Outcome } from "../record/ending_store.ts";
import { RunStopped } from "./run.ts";

/**
 * Converts an error to an outcome. For an expected failure or a stop, the outcome has the error's message. A bug is logged,
 * and the outcome refers to the log.
 */
export function toFailure(
  error: unknown,
  context: Pick<Context, "log"> & { execution: Execution },
): Outcome {
  if (error instanceof RunStopped) return error.outcome;
  const failed = (sentence: string): Outcome => ({
    status: "error",
    error: sentence,
    output: null,
  });
  if (error instanceof ModelError) return modelFailure(error);
  if (isExpected(error)) return failed(error.message);
  context.log.write("error", "An execution failed inside Inkling", {
    execution: context.execution.id,
    error,
  });
  return failed("Internal error: the service's log has the details");
}

/** Returns the outcome of a run whose model call failed. */
export function modelFailure(failure: ModelError): Outcome {
  const outcome: Outcome = { status: "error", error: failure.message, output: null };
  if (!failure.retryable) return outcome;
  const { retryAfterMs } = failure;
  const kind = kindOf(failure);
  return { ...outcome, transient: { kind, ...(retryAfterMs !== undefined && { retryAfterMs }) } };
}

/** Classifies a failure of a model call. Errors that a provider returned are rate limits or failures of the provider. */
function kindOf({ status, providerText }: ModelError): TransientFailure {
  if (status === 429 || /\brate_limit/.test(providerText ?? "")) return "rate_limit";
  return status === undefined && providerText === undefined ? "network" : "provider";
}

function isExpected(error: unknown): error is Error {
  return error instanceof ToolsUnavailable ||
    error instanceof OutputSchemaUnusable || error instanceof AgentTextUnusable ||
    error instanceof NoDescriptorLeft || error instanceof TextTooLong ||
    error instanceof RuntimeError && error.code === "storage";
}
