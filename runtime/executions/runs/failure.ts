// A run that threw, as the outcome of its execution.
import { OutputSchemaUnusable } from "../../agents/output_schema.ts";
import { RuntimeError } from "../../../base/errors.ts";
import { NoDescriptorLeft } from "../../../base/free_descriptors.ts";
import { ModelError } from "../../models/model.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { TextTooLong } from "../../../base/text/substitute.ts";
import { ToolsUnavailable } from "../../tools/tools_unavailable.ts";
import { AgentTextUnusable } from "../refusals.ts";
import type { Execution } from "../execution.ts";
import type { Outcome } from "../record/ending_store.ts";
import { RunStopped } from "./run.ts";

/** What a person reads of it: the sentence of an expected failure or a stop; of a bug that the log has the details. */
export function toFailure(
  error: unknown,
  context: { execution: Execution; serviceLog: ServiceLog },
): Outcome {
  if (error instanceof RunStopped) return error.outcome;
  const failed = (sentence: string): Outcome => ({
    status: "error",
    error: sentence,
    output: null,
  });
  if (error instanceof ModelError) return modelFailure(error);
  if (isExpected(error)) return failed(error.message);
  context.serviceLog.write("error", "An execution failed inside Inkling", {
    execution: context.execution.id,
    error,
  });
  return failed("Internal error: the service's log has the details");
}

/** The outcome of a run whose model call failed. */
export function modelFailure({ message: error, retryable }: ModelError): Outcome {
  return { status: "error", error, output: null, ...(retryable && { isTransient: true }) };
}

function isExpected(error: unknown): error is Error {
  return error instanceof ToolsUnavailable ||
    error instanceof OutputSchemaUnusable || error instanceof AgentTextUnusable ||
    error instanceof NoDescriptorLeft || error instanceof TextTooLong ||
    error instanceof RuntimeError && error.code === "storage";
}
