// The setting with the last check of an agent's source. It changes in the transactions of slots and acceptances.
import { type Operation, run, send } from "../../database/operation.ts";

/** Returns the name of the setting with the last check of an agent's source. */
export function checkName(agentId: string): string {
  return `check ${agentId}`;
}

/** Stores the value of a setting in the open transaction. */
export function* putSetting(name: string, value: string): Operation<void> {
  yield* send(
    "INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2",
    name,
    value,
  );
}

/** Replaces the last check of an agent's source. Returns false if it is no longer `before`: another node was faster. */
export function* replaceCheck(
  agentId: string,
  { before, after }: { before: string; after: string },
): Operation<boolean> {
  return (yield* run(
    "UPDATE settings SET value = ?2 WHERE key = ?1 AND value = ?3",
    checkName(agentId),
    after,
    before,
  )) > 0;
}
