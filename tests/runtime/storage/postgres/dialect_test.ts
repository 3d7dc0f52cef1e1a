import assert from "node:assert/strict";
import { toPostgres } from "../../../../runtime/storage/postgres/dialect.ts";

/** The SQL of a JSON list in which unstorable characters are replaced. */
const LIST = String
  .raw`regexp_replace(CAST($1 AS text), '(?<!\\)((\\\\)*)\\u(0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'gi')`;

const CASES: readonly (readonly [string, string, string])[] = [
  ["numbers bare parameters", "a = ? AND b = ?", "a = $1 AND b = $2"],
  ["keeps numbers", "a = ?2 AND b = ?1 AND c = ?2", "a = $2 AND b = $1 AND c = $2"],
  ["continues after the greatest number, as SQLite does", "a = ?3 AND b = ?", "a = $3 AND b = $4"],
  ["does not change quoted texts", "a = '?1 it''s ?' AND b = ?", "a = '?1 it''s ?' AND b = $1"],
  [
    "reads JSON values with json_text()",
    "e.request ->> '$.cause.path' = ?",
    "json_text(e.request, '{cause,path}') = $1",
  ],
  [
    "expands lists",
    "SELECT value FROM json_each(?1) WHERE value <> ?",
    `SELECT value FROM json_array_elements_text(CAST(${LIST} AS json)) AS listed (value) WHERE value <> $2`,
  ],
  [
    "keeps the alias of a JSON list",
    "FROM json_each(?) AS asked",
    `FROM json_array_elements_text(CAST(${LIST} AS json)) AS asked (value)`,
  ],
  [
    "quotes only names with capitals",
    'SELECT a AS agentId, b AS n, c AS "to", CAST(d AS BIGINT) FROM t',
    'SELECT a AS "agentId", b AS n, c AS "to", CAST(d AS BIGINT) FROM t',
  ],
];

for (const [what, sql, expected] of CASES) {
  Deno.test(`toPostgres() ${what}`, () => {
    assert.equal(toPostgres(sql), expected);
  });
}
