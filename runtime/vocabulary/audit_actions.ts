// The table of audited actions. The schemas, the command line and the page are made from it.

/** The audited actions by their names, with their meanings in the past tense. */
export const AUDIT_ACTIONS = {
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
  stop_service: "stopped the service",
} as const;

/** The name of an audited action. */
export type AuditAction = keyof typeof AUDIT_ACTIONS;

/** The names of all audited actions. */
export const AUDIT_ACTION_NAMES = Object.keys(AUDIT_ACTIONS) as [AuditAction, ...AuditAction[]];
