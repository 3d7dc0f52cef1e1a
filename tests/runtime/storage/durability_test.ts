// Tests that every writing method of the stores requests the durability that its change needs.
import assert from "node:assert/strict";
import { join } from "node:path";
import { get } from "../../../runtime/database/operation.ts";
import { SqliteDatabase } from "../../../runtime/storage/sqlite/sqlite_database.ts";
import { REPOSITORY, sourceFiles } from "../../support/repository.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const IF_UNSAFE = 'effect === "unsafe" ? "power" : "process"';

/**
 * The methods whose changes a power cut may lose, by store and by the durability that they request. All other changes, such
 * as those of an execution's status, survive a power cut.
 */
const MAY_BE_LOST: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  SqlAnswerLinks: { process: "create" },
  SqlAudit: { process: "sweep" },
  SqlBudgetStore: { soon: "reserve settle" },
  SqlChatNotes: { process: "claim purge release remove write" },
  SqlConversationStore: {
    process: "addFrame addMessage beginConversation recordReply replaceSystem resetCall",
    [IF_UNSAFE]: "finishCall startCall",
  },
  SqlMailStore: { process: "forget writePosition" },
  SqlNamedKeys: { process: "find" },
  SqlOutbox: { process: "announce claim close postpone purge retryAll" },
  SqlSlotStore: { process: "beginSchedule endSchedules purgeSlots" },
  SqlWatchStore: {
    process: "dropQueued forgetWatches keepDigests markSeen",
    durability: "#changeWithLease",
  },
};

/** Returns the methods of the stores that store a change which a power cut may lose, as in MAY_BE_LOST. */
function readChanges(): typeof MAY_BE_LOST {
  const found: Record<string, Record<string, string>> = {};
  for (const file of sourceFiles()) {
    const text = Deno.readTextFileSync(join(REPOSITORY, file));
    const [, store, body = ""] = /^export class (Sql(?!ite)\w+)([^]*?)^}/m.exec(text) ?? [];
    if (store === undefined) continue;
    const methods = body.split(/^ {2}(?=(?:async )?\*?#?\w+(?:<\w+>)?\()/m);
    for (const method of methods) {
      const name = /^(?:async )?\*?(#?\w+)/.exec(method)?.[1] ?? "";
      const changes = /this\.#(?:db\.change|changeWithLease)\(\s*([^,]+),/g;
      for (const [, requested = ""] of method.matchAll(changes)) {
        const durability = requested.replace(/^\w+\.(?=effect)/, "").replace(/^"(\w+)"$/, "$1");
        if (durability === "power") continue;
        const names = new Set(found[store]?.[durability]?.split(" ")).add(name);
        found[store] = { ...found[store], [durability]: [...names].sort().join(" ") };
      }
    }
  }
  return found;
}

Deno.test("the changes of stores survive a power cut, except the listed ones", () => {
  assert.deepEqual(readChanges(), MAY_BE_LOST);
});

Deno.test("SqliteDatabase.change() waits for the disk only if the change must survive a power cut", () =>
  withTempDir(async (dir) => {
    using db = SqliteDatabase.open(join(dir, "inkling.db"));
    // SQLite's values of the setting `synchronous`: 2 is FULL, 1 is NORMAL.
    for (const [durability, level] of [["process", 1], ["power", 2], ["soon", 1]] as const) {
      const row = await db.change(durability, () => get("PRAGMA synchronous"));
      assert.deepEqual({ ...row as object }, { synchronous: level }, durability);
    }
  }));
