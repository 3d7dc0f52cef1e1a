// An execution that runs on the node `here`, and the other node `there`.
import { type Operation, run } from "../../../../runtime/database/operation.ts";

/** Stores both nodes, and the execution 1 with the epoch 1. */
export function* storeExecution(): Operation<void> {
  yield* run("INSERT INTO instances (id, pid, started_at) VALUES ('here', 1, 0), ('there', 2, 0)");
  yield* run(
    "INSERT INTO executions (id, agent_id, display_name, status, trigger, instance_id, request, model, started_at, epoch) " +
      "VALUES (1, 'a', 'A', 'running', 'manual', 'here', '{}', '', 0, 1)",
  );
}
