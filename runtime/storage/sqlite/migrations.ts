// The schema of the SQLite database as a list of migrations. Existing migrations never change. `user_version` in the file
// is the number of applied migrations.
import type { DatabaseSync } from "node:sqlite";
import { AUDIT, BUDGETS, CHAT_NOTES, FOLLOW_UPS } from "./unattended_tables.ts";
import { MAILS, MESSAGES, NAMED_KEYS } from "./unattended_tables.ts";

const EXECUTIONS_AND_LOG = `
CREATE TABLE instances (
  id TEXT PRIMARY KEY,
  pid INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  stopped_at INTEGER
) STRICT;

CREATE TABLE executions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  agent_id TEXT NOT NULL,
  display_name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN
    ('running', 'waiting', 'success', 'error', 'aborted', 'timeout', 'orphaned')),
  trigger TEXT NOT NULL CHECK (trigger IN ('manual', 'chat', 'schedule', 'watch', 'agent')),
  parent_execution_id INTEGER REFERENCES executions (id) ON DELETE SET NULL,
  depth INTEGER NOT NULL DEFAULT 0,
  session_id TEXT,
  instance_id TEXT NOT NULL REFERENCES instances (id),
  request TEXT NOT NULL CHECK (json_valid(request)),
  model TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  duration_ms INTEGER,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  total_tokens INTEGER,
  cost_usd REAL,
  tool_calls INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  output_data TEXT
) STRICT;
CREATE INDEX executions_by_agent ON executions (agent_id, id);
CREATE INDEX executions_by_bucket ON executions (agent_id, session_id, id);
CREATE INDEX executions_by_parent ON executions (parent_execution_id)
  WHERE parent_execution_id IS NOT NULL;
CREATE INDEX executions_by_status ON executions (status, id);

CREATE TABLE frames (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  execution_id INTEGER NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  event TEXT NOT NULL,
  payload TEXT NOT NULL
) STRICT;
CREATE INDEX frames_by_execution ON frames (execution_id, id);

CREATE TABLE messages (
  execution_id INTEGER NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  body TEXT NOT NULL CHECK (json_valid(body)),
  seeded INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (execution_id, position)
) STRICT;

CREATE TABLE tool_calls (
  execution_id INTEGER NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  tool_call_id TEXT NOT NULL,
  name TEXT NOT NULL,
  arguments TEXT NOT NULL,
  effect TEXT CHECK (effect IN ('read', 'idempotent', 'unsafe')),
  started_at INTEGER,
  duration_ms INTEGER,
  is_error INTEGER,
  frame_id INTEGER,
  PRIMARY KEY (execution_id, position)
) STRICT;

CREATE TABLE requests (
  request_id TEXT PRIMARY KEY,
  execution_id INTEGER NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('confirm', 'input', 'choice')),
  body TEXT NOT NULL CHECK (json_valid(body)),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  answered_at INTEGER,
  response TEXT
) STRICT;
CREATE UNIQUE INDEX requests_open ON requests (execution_id) WHERE answered_at IS NULL;

CREATE TABLE schedules (
  agent_id TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  anchor INTEGER NOT NULL,
  last_fire INTEGER
) STRICT;

CREATE TABLE slots (
  agent_id TEXT NOT NULL,
  scheduled_for INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('run', 'skipped', 'missed')),
  reason TEXT,
  execution_id INTEGER REFERENCES executions (id) ON DELETE SET NULL,
  count INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (agent_id, scheduled_for)
) STRICT;

CREATE TABLE idempotency_keys (
  key TEXT PRIMARY KEY,
  execution_id INTEGER NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
`;

const TRIGGERS_AND_DELEGATION = `
CREATE TABLE watch_queue (
  agent_id TEXT NOT NULL,
  path TEXT NOT NULL,
  event TEXT NOT NULL CHECK (event IN ('created', 'modified', 'deleted', 'moved')),
  queued_at INTEGER NOT NULL,
  PRIMARY KEY (agent_id, path)
) STRICT;

CREATE TABLE watched_files (
  agent_id TEXT NOT NULL,
  path TEXT NOT NULL,
  stamp TEXT NOT NULL,
  PRIMARY KEY (agent_id, path)
) STRICT;

CREATE TABLE watches (
  agent_id TEXT PRIMARY KEY
) STRICT;

ALTER TABLE executions ADD COLUMN parent_position INTEGER;
CREATE UNIQUE INDEX executions_by_call ON executions (parent_execution_id, parent_position)
  WHERE parent_execution_id IS NOT NULL AND parent_position IS NOT NULL;
CREATE INDEX executions_scheduled ON executions (agent_id)
  WHERE status = 'running' AND trigger = 'schedule';
CREATE INDEX executions_waiting ON executions (agent_id, session_id) WHERE status = 'waiting';
CREATE INDEX requests_by_execution ON requests (execution_id);
CREATE INDEX slots_by_execution ON slots (execution_id) WHERE execution_id IS NOT NULL;
CREATE INDEX idempotency_keys_by_execution ON idempotency_keys (execution_id);
`;

const USAGE_BY_DAY = `
CREATE INDEX executions_by_start ON executions (started_at);
`;

/**
 * Removes the lists of execution states and of trigger kinds from the CHECK constraints of executions, so that a new state
 * or kind needs no migration. Uses the procedure that SQLite documents for removing constraints. Changes no row.
 */
export function dropLists(db: DatabaseSync): void {
  // The types of node:sqlite lack this method.
  const guarded = db as DatabaseSync & { enableDefensive(isOn: boolean): void };
  guarded.enableDefensive(false);
  db.exec("PRAGMA writable_schema = ON");
  const executions = "type = 'table' AND name = 'executions'";
  const { sql } = db.prepare(`SELECT sql FROM sqlite_schema WHERE ${executions}`).get() ?? {};
  const lists = / CHECK \((status|trigger) IN\s*\([^)]*\)\)/g;
  db.prepare(`UPDATE sqlite_schema SET sql = ? WHERE ${executions}`)
    .run(String(sql).replace(lists, ""));
  db.exec("PRAGMA writable_schema = RESET");
  guarded.enableDefensive(true);
}

const MCP_TOOLS = `
CREATE TABLE mcp_tools (
  server TEXT NOT NULL,
  tool TEXT NOT NULL,
  print TEXT NOT NULL CHECK (json_valid(print)),
  PRIMARY KEY (server, tool)
) STRICT;
`;

/**
 * SQL: the full-text index of requests and answers. The index has only the beginning of each text, so that inserting stays
 * fast, and no copy of the texts (`content=''`).
 */
export const SEARCH = `
CREATE INDEX executions_by_trigger ON executions (trigger, id);
CREATE VIRTUAL TABLE executions_text USING fts5(
  asked, answered, content='', contentless_delete=1, tokenize='trigram'
);
CREATE TRIGGER executions_text_asked AFTER INSERT ON executions
  WHEN NEW.request ->> '$.message' IS NOT NULL
BEGIN
  INSERT INTO executions_text (rowid, asked, answered)
    VALUES (NEW.id, substr(NEW.request ->> '$.message', 1, 1000), '');
END;
CREATE TRIGGER executions_text_answered AFTER UPDATE OF output_data, error ON executions
  WHEN NEW.output_data IS NOT NULL OR NEW.error IS NOT NULL
BEGIN
  INSERT OR REPLACE INTO executions_text (rowid, asked, answered) VALUES (
    NEW.id,
    substr(coalesce(NEW.request ->> '$.message', ''), 1, 1000),
    substr(coalesce(NEW.error || ' ', '') || coalesce(NEW.output_data, ''), 1, 1000)
  );
END;
CREATE TRIGGER executions_text_removed AFTER DELETE ON executions
BEGIN
  DELETE FROM executions_text WHERE rowid = OLD.id;
END;
INSERT INTO executions_text (rowid, asked, answered)
  SELECT id, substr(coalesce(request ->> '$.message', ''), 1, 1000),
    substr(coalesce(error || ' ', '') || coalesce(output_data, ''), 1, 1000)
  FROM executions;
`;

/**
 * SQL: the settings and tools of model calls (their terms), as JSON texts by their digests, each stored once. A reply
 * refers to the terms of its call. The last opening message refers to the terms of the first call.
 */
const CALL_TERMS = `
CREATE TABLE call_terms (
  digest TEXT PRIMARY KEY,
  body TEXT NOT NULL CHECK (json_valid(body))
) STRICT;
ALTER TABLE messages ADD COLUMN terms TEXT;
CREATE INDEX messages_by_terms ON messages (terms) WHERE terms IS NOT NULL;
`;

/** SQL: the tool calls that a dry run described instead of making them. */
export const DRY_RUNS = `
ALTER TABLE tool_calls ADD COLUMN described TEXT CHECK (json_valid(described));
`;

/**
 * SQL: the states of triggers (consecutive failures, and the reason of a stop), and the content digests of watched files
 * for agents with `catch_up`.
 */
const TRIGGER_STATES = `
CREATE TABLE trigger_states (
  agent_id TEXT PRIMARY KEY,
  failures INTEGER NOT NULL,
  print TEXT NOT NULL,
  reason TEXT,
  retry_at INTEGER
) STRICT;
ALTER TABLE watched_files ADD COLUMN digest TEXT;
`;

/** SQL: the planned retry of a run, as JSON of RunRetry. */
export const RUN_RETRIES = `
ALTER TABLE executions ADD COLUMN retry TEXT CHECK (json_valid(retry));
`;

/** SQL: the state of the full-text index. New texts enter it before a search: see storage/executions/search_index.ts. */
export const SEARCH_ON_DEMAND = `
DROP TRIGGER executions_text_asked;
DROP TRIGGER executions_text_answered;
CREATE TABLE search_index (up_to INTEGER NOT NULL, open TEXT NOT NULL CHECK (json_valid(open))) STRICT;
INSERT INTO search_index (up_to, open)
  SELECT coalesce(max(id), 0), json_group_array(id) FILTER (WHERE status IN ('running', 'waiting'))
  FROM executions;
`;

/**
 * SQL: the rests of runs. `rests_until` is the planned end of a rest, and null if the execution does not rest. `rest` is
 * the JSON of RunRest. The runs that wait for a retry rest from now on.
 */
export const RUN_RESTS = `
ALTER TABLE executions ADD COLUMN rests_until INTEGER;
ALTER TABLE executions ADD COLUMN rest TEXT CHECK (json_valid(rest));
CREATE INDEX executions_by_rest ON executions (rests_until) WHERE rests_until IS NOT NULL;
UPDATE executions SET rests_until = CAST(retry ->> '$.at' AS INTEGER),
  rest = '{"until":' || (retry ->> '$.at') || ',"since":' || (retry ->> '$.at') || ',' || substr(retry, 2)
  WHERE status = 'running' AND retry IS NOT NULL AND retry ->> '$.isUnderWay' IS NULL;
`;

/** SQL for a temporary view that adds missing columns, to read an older database without changing it, by migration. */
export const WITHOUT_COLUMNS: readonly [step: string, view: string][] = [
  [RUN_RETRIES, "SELECT *, NULL AS retry, NULL AS rests_until, NULL AS rest FROM main.executions"],
  [RUN_RESTS, "SELECT *, NULL AS rests_until, NULL AS rest FROM main.executions"],
];

/** The migrations. The migration with index N changes version N to N + 1. Each is SQL or a function. */
export const MIGRATIONS: readonly (string | ((db: DatabaseSync) => void))[] = [
  EXECUTIONS_AND_LOG,
  TRIGGERS_AND_DELEGATION,
  USAGE_BY_DAY,
  dropLists,
  MCP_TOOLS,
  SEARCH,
  FOLLOW_UPS,
  BUDGETS,
  MESSAGES,
  CALL_TERMS,
  DRY_RUNS,
  TRIGGER_STATES,
  RUN_RETRIES,
  SEARCH_ON_DEMAND,
  RUN_RESTS,
  ...[CHAT_NOTES, AUDIT, NAMED_KEYS, MAILS],
];
