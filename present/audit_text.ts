// Words for recorded changes, for the command line and the page.
import type { AuditRecord } from "../api/schemas/audit_schemas.ts";

/** The words of each action, after the name of a person. */
export const ACTIONS: Readonly<Record<AuditRecord["action"], string>> = {
  start: "started a run",
  fork: "forked a run",
  cancel: "cancelled a run",
  wake: "ended a rest",
  answer: "answered a question",
  raise_budget: "raised a budget",
  edit_file: "changed a file",
  pause: "paused the triggers",
  resume: "resumed the triggers",
  resume_agent: "resumed a trigger",
  purge: "removed conversations",
  sign_in: "signed in",
  sign_out: "signed out",
  sign_in_server: "signed in to a server",
  pair_chat: "paired a chat",
  add_key: "added a key",
  renew_key: "renewed a key",
  revoke_key: "revoked a key",
  remove_person: "removed a person",
  stop: "stopped the service",
};

/** Returns a recorded change as one line: the action, its object, and its detail. */
export function describeAudit(
  { action, agent_id, execution_id, file, is_done, detail }: AuditRecord,
): string {
  const object = file ??
    [agent_id, execution_id === null ? null : `execution ${execution_id}`]
      .filter((one) => one !== null).join(", ");
  const more = Object.entries(detail).map(([name, value]) =>
    `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`
  );
  return [
    ACTIONS[action],
    ...object === "" ? [] : [`: ${object}`],
    ...more.length === 0 ? [] : [` (${more.join(", ")})`],
    ...is_done ? [] : [", not done"],
  ].join("");
}
