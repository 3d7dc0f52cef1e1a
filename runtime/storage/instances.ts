// The table of service instances: who left an execution running.
import { type Operation, run } from "./operation.ts";

/** Registers this process; its executions carry the id. */
export function* openInstance(
  instance: { id: string; pid: number; startedAt: number },
): Operation<void> {
  yield* run(
    "INSERT INTO instances (id, pid, started_at) VALUES (?, ?, ?)",
    instance.id,
    instance.pid,
    instance.startedAt,
  );
}

/** Notes that the instance ended in order. */
export function* closeInstance(id: string, stoppedAt: number): Operation<void> {
  yield* run("UPDATE instances SET stopped_at = ? WHERE id = ?", stoppedAt, id);
}
