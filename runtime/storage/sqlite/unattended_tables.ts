// Migrations for runs without a person, and for the record of people: follow-ups, budgets, messages, chats, audit, mails.

/**
 * SQL: the pending follow-ups, one row for each agent that an ended execution must start. An index finds the executions
 * that a given execution has started.
 */
export const FOLLOW_UPS = `
CREATE TABLE follow_ups (
  agent_id TEXT NOT NULL,
  execution_id INTEGER NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  PRIMARY KEY (agent_id, execution_id)
) STRICT;
CREATE INDEX follow_ups_by_execution ON follow_ups (execution_id);
CREATE INDEX executions_by_followed ON executions (request ->> '$.cause.executionId')
  WHERE trigger = 'after';
`;

/**
 * SQL: the tables of budgets. They store the reservations of running calls and the spending, by scope and quarter of an
 * hour. Each period of a budget stores its raised limit, a flag that people were warned, and the refused calls.
 */
export const BUDGETS = `
CREATE TABLE reservations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  agent_id TEXT,
  execution_id INTEGER,
  root_id INTEGER,
  instance_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  nanos INTEGER NOT NULL,
  tokens INTEGER NOT NULL
) STRICT;

CREATE TABLE spending (
  scope TEXT NOT NULL,
  step INTEGER NOT NULL,
  nanos INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (scope, step)
) STRICT;

CREATE TABLE budget_periods (
  scope TEXT NOT NULL,
  unit TEXT NOT NULL CHECK (unit IN ('usd', 'tokens')),
  period TEXT NOT NULL CHECK (period IN ('day', 'month', 'tree')),
  start INTEGER NOT NULL,
  raised INTEGER NOT NULL DEFAULT 0,
  warned INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (scope, unit, period, start)
) STRICT;

CREATE TABLE budget_refusals (
  agent_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  unit TEXT NOT NULL,
  period TEXT NOT NULL,
  start INTEGER NOT NULL,
  need INTEGER NOT NULL,
  PRIMARY KEY (agent_id, scope, unit, period, start)
) STRICT;

CREATE TRIGGER spending_of_trees AFTER DELETE ON executions
BEGIN
  DELETE FROM spending WHERE scope = 'tree:' || OLD.id;
  DELETE FROM budget_periods WHERE scope = 'tree:' || OLD.id;
  DELETE FROM budget_refusals WHERE scope = 'tree:' || OLD.id;
END;
`;

/**
 * SQL: messages to people, one row per channel. `seq` is their order, and messages with the same `fold` are combined.
 * Another table has the answer links in messages, with the hash of each token instead of the token.
 */
export const MESSAGES = `
CREATE TABLE outbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  channel TEXT NOT NULL,
  kind TEXT NOT NULL,
  agent_id TEXT,
  execution_id INTEGER,
  request_id TEXT,
  fold TEXT,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  count INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  first_tried_at INTEGER,
  closed_at INTEGER,
  outcome TEXT
) STRICT;
CREATE INDEX outbox_open ON outbox (due_at) WHERE closed_at IS NULL;
CREATE INDEX outbox_open_by_execution ON outbox (execution_id, channel) WHERE closed_at IS NULL;
CREATE INDEX outbox_closed ON outbox (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX outbox_by_fold ON outbox (fold) WHERE fold IS NOT NULL;

CREATE TABLE answer_links (
  hash TEXT PRIMARY KEY,
  request_id TEXT NOT NULL REFERENCES requests (request_id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX answer_links_by_request ON answer_links (request_id);
`;

/** SQL: the notes of the chats, such as the messages in which a question is shown. `value` is JSON. */
export const CHAT_NOTES = `
CREATE TABLE chat_notes (
  chat TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL CHECK (json_valid(value)),
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (chat, name)
) STRICT;
`;

/** SQL: the recorded changes of people, programs and files, one row each. A row is removed at its own end. */
export const AUDIT = `
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  expires_at INTEGER,
  action TEXT NOT NULL,
  via TEXT NOT NULL,
  name TEXT,
  address TEXT,
  agent_id TEXT,
  execution_id INTEGER,
  detail TEXT NOT NULL CHECK (json_valid(detail)),
  is_done INTEGER NOT NULL DEFAULT 1,
  file TEXT,
  digest TEXT,
  text TEXT
) STRICT;
CREATE INDEX audit_by_agent ON audit (agent_id, id) WHERE agent_id IS NOT NULL;
CREATE INDEX audit_by_file ON audit (file, id) WHERE file IS NOT NULL;
CREATE INDEX audit_by_end ON audit (expires_at) WHERE expires_at IS NOT NULL;
`;

/**
 * SQL: the mails that have started runs, for a week, and the last mail of a folder that each agent has passed. `at` is the
 * time of the start.
 */
export const MAILS = `
CREATE TABLE taken_mails (
  agent_id TEXT NOT NULL,
  account TEXT NOT NULL,
  folder TEXT NOT NULL,
  uidvalidity INTEGER NOT NULL,
  uid INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  sender TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (agent_id, account, folder, uidvalidity, uid)
) STRICT;
CREATE INDEX taken_mails_by_message ON taken_mails (agent_id, message_id);
CREATE INDEX taken_mails_by_sender ON taken_mails (agent_id, sender, at);
CREATE INDEX taken_mails_by_time ON taken_mails (at);
CREATE TABLE mail_positions (
  agent_id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  folder TEXT NOT NULL,
  uidvalidity INTEGER NOT NULL,
  last_uid INTEGER NOT NULL
) STRICT;
`;

/** SQL: the named keys, each with the SHA-256 of its secret. `agents` is a JSON list, or null for all agents. */
export const NAMED_KEYS = `
CREATE TABLE named_keys (
  name TEXT PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  agents TEXT CHECK (json_valid(agents)),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  used_at INTEGER
) STRICT;
`;
