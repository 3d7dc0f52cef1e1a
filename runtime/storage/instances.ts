// The table of service instances: who left an execution running.
import type { Database } from "./database.ts";

/** Registers this process; its executions carry the id. */
export function openInstance(
  db: Database,
  instance: { id: string; pid: number; startedAt: number },
): void {
  db.transaction("power", () => {
    db.run(
      "INSERT INTO instances (id, pid, started_at) VALUES (?, ?, ?)",
      instance.id,
      instance.pid,
      instance.startedAt,
    );
  });
}

/** Notes that the instance ended in order. */
export function closeInstance(db: Database, id: string, stoppedAt: number): void {
  db.transaction("power", () => {
    db.run("UPDATE instances SET stopped_at = ? WHERE id = ?", stoppedAt, id);
  });
}
