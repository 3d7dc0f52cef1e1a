// Stored conversations: how much there is, and removing those no longer needed.
import { CheckpointsBody, PurgeBody, PurgedBody } from "../schemas/checkpoint_schemas.ts";
import { defineOperation, type Operation } from "../operations/operation.ts";

/** /checkpoints. */
export const checkpointOperations: readonly Operation[] = [
  defineOperation({
    operationId: "checkpoints",
    summary: "Stored conversations by agent",
    response: CheckpointsBody,
    errors: [],
    async handle(_request, { runtime }) {
      const { path, sizeBytes, threads, agents } = await runtime.checkpointStats();
      return {
        path,
        size_bytes: sizeBytes,
        threads,
        agents: agents.map(({ agentId, ...rest }) => ({ agent_id: agentId, ...rest })),
      };
    },
  }),
  defineOperation({
    operationId: "purgeCheckpoints",
    summary: "Remove conversations; without force, the newest of each agent and waiting ones stay",
    body: PurgeBody,
    response: PurgedBody,
    errors: [404, 503],
    async handle({ body }, { runtime }) {
      const purged = await runtime.purgeCheckpoints({
        force: body.force ?? false,
        ...(body.agent != null && { agentId: body.agent }),
      });
      return { purged };
    },
  }),
];
