// The operations on stored conversations: count and remove them.
import { CheckpointsBody, PurgeBody, PurgedBody } from "../schemas/checkpoint_schemas.ts";
import { operation } from "../operations/operation.ts";

export const checkpoints = operation({
  summary: "Stored conversations by agent",
  response: CheckpointsBody,
  handle: (_request, { runtime }) => runtime.checkpointStats(),
});

export const purgeCheckpoints = operation({
  summary:
    "Remove conversations; without force, keeps the newest of each agent and the waiting ones",
  body: PurgeBody,
  response: PurgedBody,
  errors: [404, 503],
  async handle({ body }, { runtime, caller }) {
    const purged = await runtime.purgeCheckpoints({
      force: body.force ?? false,
      by: caller,
      ...(body.agent != null && { agentId: body.agent }),
    });
    return { purged };
  },
});
