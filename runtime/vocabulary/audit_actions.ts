// The names of audited actions. The schemas and the command line are made from them.

/** The names of all audited actions. present/audit_text.ts has their words. */
export const AUDIT_ACTION_NAMES = [
  "start",
  "fork",
  "cancel",
  "wake",
  "answer",
  "raise_budget",
  "edit_file",
  "pause",
  "resume",
  "resume_agent",
  "purge",
  "sign_in",
  "sign_out",
  "sign_in_server",
  "pair_chat",
  "add_key",
  "renew_key",
  "revoke_key",
  "remove_person",
  "stop",
] as const;

/** The name of an audited action. */
export type AuditAction = typeof AUDIT_ACTION_NAMES[number];
