// Defines the request of a fork.
import type { Fork } from "../executions/execution_request.ts";
import type { RunRequest } from "../executions/runs/run_request.ts";

/** The point of a fork, and the changes that apply from there on. */
export type ForkRequest =
  & Omit<Fork, "executionId" | "step">
  & Pick<RunRequest, "idempotencyKey" | "by">
  & {
    /** The number of copied steps. If absent, all steps before the last model call, or all steps if `message` is set. */
    step?: number;
  };
