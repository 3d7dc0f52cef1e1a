// The tables of people and their keys.

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
