// Tests of the names of databases and .env files, in every spelling that a file system treats as equal.
import assert from "node:assert/strict";
import { isDatabaseName } from "../../../base/files/database_name.ts";
import { isEnvFileName } from "../../../base/files/env_file_name.ts";

Deno.test("isDatabaseName() matches databases, journals and copies in any letter case", () => {
  const names = ["a.db", "a.DB-wal", "a.db.bak", "a.sqlite", "a.SQLite3-journal", ".db"];
  for (const name of [...names, "a.\u200bdb", "a.ｄｂ"]) assert.ok(isDatabaseName(name), name);
  for (const name of ["db", "adb", "a.d", "sqlite.md"]) assert.ok(!isDatabaseName(name), name);
});

Deno.test("isEnvFileName() matches .env files, in any letter case", () => {
  const names = [".env", ".ENV.local", ".envrc", "\u200c.env", ".ｅnv"];
  for (const name of names) assert.ok(isEnvFileName(name), name);
  for (const name of ["env", "a.env", ".en"]) assert.ok(!isEnvFileName(name), name);
});
