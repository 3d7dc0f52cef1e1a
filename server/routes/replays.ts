// Recorded executions: played again with the agent as it is now, and gone on from.
import { z } from "zod";
import { RequestRefused } from "../errors.ts";
import { defineOperation, type Operation, type Services } from "../operations/operation.ts";
import { executionId, idempotencyKey, yesOrNo } from "../operations/parameters.ts";
import { ForkBody, ReplayBody, toForkRequest, toReplay } from "../schemas/replay_schemas.ts";
import { RunAccepted } from "../schemas/run_schemas.ts";

const params = z.object({ id: executionId });

/** Throws ExecutionNotFound. */
const findExecution = ({ id }: z.output<typeof params>, { runtime }: Services) =>
  runtime.getExecution(id);

/** /executions/{id}/replay and /executions/{id}/fork. */
export const replayOperations: readonly Operation[] = [
  defineOperation({
    operationId: "replay",
    summary: "Whether the agent of today would go the way of a recorded execution",
    description:
      "Its replies and results come from the record: no model is asked, no tool called, " +
      "nothing stored. `tools=true` starts custom tools and MCP servers to see what they declare now.",
    params,
    query: z.object({ tools: yesOrNo }),
    response: ReplayBody,
    errors: [404, 409],
    find: findExecution,
    async handle({ params, query }, { runtime }) {
      const withAllTools = query.tools === "true";
      return toReplay(await runtime.replays.replay(params.id, { withAllTools }));
    },
  }),
  defineOperation({
    operationId: "fork",
    summary: "Start an execution from a step of another one",
    description:
      "The steps before are taken from the record: no call of theirs is made again. It counts as a " +
      "manual run. `Idempotency-Key` works as for a run.",
    params,
    headers: z.object({ "idempotency-key": idempotencyKey }),
    body: ForkBody,
    response: RunAccepted,
    errors: [404, 409, 503],
    find: findExecution,
    async handle({ params, headers, body }, { runtime, lifecycle }) {
      if (lifecycle.stopping !== null) {
        throw new RequestRefused(503, "The service is shutting down");
      }
      const idempotencyKey = headers["idempotency-key"];
      const execution = await runtime.replays.fork(params.id, {
        ...toForkRequest(body),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      });
      return { execution_id: execution.id, model: execution.model };
    },
  }),
];
