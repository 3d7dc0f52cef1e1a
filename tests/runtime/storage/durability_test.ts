// Tests that every writing method of the stores requests the durability that its change needs.
import assert from "node:assert/strict";
import { join } from "node:path";
import { get } from "../../../runtime/database/operation.ts";
import { SqliteDatabase } from "../../../runtime/storage/sqlite/sqlite_database.ts";
import { REPOSITORY, sourceFiles } from "../../support/repository.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const IF_UNSAFE = 'effect === "unsafe" ? "power" : "process"';

/**
 * The methods that store a change, by store and by the durability that they request. Every change of an execution's status
 * survives a power cut.
 */
const CHANGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  SqlAcceptanceStore: { power: "#acceptAll acceptExecution" },
  SqlAnswerLinkStore: { process: "addLink" },
  SqlAudit: { power: "#see record", process: "sweep" },
  SqlBudgetStore: { power: "raise settleAbandoned", soon: "reserve settle" },
  SqlChatNotes: { process: "claim purge release remove write" },
  SqlCheckpointStore: { power: "#remove" },
  SqlConversationStore: {
    process: "addFrame addMessage beginConversation recordReply replaceSystem resetCall",
    [IF_UNSAFE]: "finishCall startCall",
  },
  SqlEndingStore: { power: "finishExecution restExecution" },
  SqlFamilyStore: { power: "waitForChild" },
  SqlFollowUpStore: { power: "dropFollowUp" },
  SqlKnownToolStore: { power: "keepTool" },
  SqlMailStore: { process: "forget writePosition" },
  SqlNamedKeys: { power: "#changeOne add", process: "find" },
  SqlOutbox: { process: "announce claim close postpone purge retryAll" },
  SqlRecoveryStore: { power: "adoptExecution" },
  SqlRequestStore: { power: "answerRequest openRequest" },
  SqlRestStore: { power: "endRest" },
  SqlSettingsStore: { power: "changeSetting" },
  SqlSlotStore: { power: "recordSlots", process: "beginSchedule endSchedules purgeSlots" },
  SqlTriggerStateStore: { power: "postponeTry release" },
  SqlWatchStore: {
    power: "enqueue",
    process: "dropQueued forgetWatches keepDigests markSeen",
    durability: "#changeWithLease",
  },
};

/** Returns the methods of the stores that store a change, as in CHANGES. */
function readChanges(): typeof CHANGES {
  const found: Record<string, Record<string, string>> = {};
  for (const file of sourceFiles()) {
    const text = Deno.readTextFileSync(join(REPOSITORY, file));
    const [, store, body = ""] = /^export class (Sql(?!ite)\w+)([^]*?)^}/m.exec(text) ?? [];
    if (store === undefined) continue;
    const methods = body.split(/^ {2}(?=(?:async )?\*?#?\w+(?:<\w+>)?\()/m);
    for (const method of methods) {
      const name = /^(?:async )?\*?(#?\w+)/.exec(method)?.[1] ?? "";
      for (
        const [, requested = ""] of method.matchAll(
          /this\.#(?:db\.change|changeWithLease)\(\s*([^,]+),/g,
        )
      ) {
        const durability = requested.replace(/^\w+\.(?=effect)/, "").replace(/^"(\w+)"$/, "$1");
        const names = new Set(found[store]?.[durability]?.split(" ")).add(name);
        found[store] = { ...found[store], [durability]: [...names].sort().join(" ") };
      }
    }
  }
  return found;
}

Deno.test("each change of a store requests the durability that it needs", () => {
  assert.deepEqual(readChanges(), CHANGES);
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
