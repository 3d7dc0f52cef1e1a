// One call of every method of a store that writes, with how firmly its change must be on disk when it returns.
import { SqlBudgetStore } from "../../../runtime/storage/budgets.ts";
import { SqlCheckpointStore } from "../../../runtime/storage/executions/checkpoints.ts";
import { SqlAnswerLinkStore } from "../../../runtime/storage/answer_links.ts";
import type { Durability } from "../../../runtime/storage/database.ts";
import { SqlFollowUpStore } from "../../../runtime/storage/follow_ups.ts";
import { SqlKnownToolStore } from "../../../runtime/storage/known_tools.ts";
import { SqlOutbox } from "../../../runtime/storage/outbox.ts";
import { SqlSettingsStore } from "../../../runtime/storage/settings.ts";
import { SqlSlotStore } from "../../../runtime/storage/slots.ts";
import { SqlWatchStore } from "../../../runtime/storage/watches.ts";
import type { Slot } from "../../../runtime/triggers/schedule/slot_store.ts";
import type { TestStore } from "../../support/test_store.ts";
import {
  ask,
  ending,
  family,
  FRAME,
  reply,
  start,
  waitFor,
  waitingFamily,
} from "./stored_situations.ts";

/** Money for a call of nobody. */
const CALL = {
  agentId: null,
  executionId: null,
  rootId: null,
  at: 1_000,
  most: { nanos: 5, tokens: 5 },
  budgets: [],
};

/** A call that changes something. */
export interface DurableChange {
  /** `SqliteStore.method`, or the name of an exported function. */
  change: string;
  /** What the case adds, where a method has several rows. */
  of?: string;
  durability: Durability;
  /** Brings about what is needed; returns the call that is looked at. */
  prepare: (store: TestStore) => Promise<() => unknown> | (() => unknown);
}

/** Messages that are made of nothing. */
function openOutbox({ db }: TestStore): SqlOutbox {
  const draft = {
    channel: "phone",
    kind: "error" as const,
    agentId: "tester",
    executionId: 1,
    requestId: null,
    folds: true,
    title: "Tester failed",
    text: "It broke",
  };
  return new SqlOutbox(db, {
    toDrafts: () => [draft],
    now: () => 1_000,
    stored: () => {},
    failed: () => {},
  });
}

/** One message, told already. */
function openTold(store: TestStore): { outbox: SqlOutbox; id: string } {
  const outbox = openOutbox(store);
  outbox.announce(BUDGET);
  const { id } = store.sqlite().get<{ id: string }>("SELECT id FROM outbox") ?? { id: "" };
  return { outbox, id };
}

const BUDGET = { type: "budget", agentId: null, executionId: null, text: "" } as const;

export const DURABLE_CHANGES: readonly DurableChange[] = [
  {
    change: "SqlOutbox.tell",
    durability: "power",
    prepare: (store) => {
      const outbox = openOutbox(store);
      return () => store.db.change("power", () => outbox.tell(BUDGET));
    },
  },
  {
    change: "SqlOutbox.announce",
    durability: "process",
    prepare: (store) => {
      const outbox = openOutbox(store);
      return () => outbox.announce(BUDGET);
    },
  },
  {
    change: "SqlOutbox.claim",
    durability: "process",
    prepare: (store) => {
      const { outbox } = openTold(store);
      return () => outbox.claim({ except: [], kinds: null, now: 2_000 });
    },
  },
  {
    change: "SqlOutbox.retryAll",
    durability: "process",
    prepare: (store) => {
      const { outbox } = openTold(store);
      outbox.claim({ except: [], kinds: null, now: 2_000 });
      return () => outbox.retryAll(2_500);
    },
  },
  {
    change: "SqlOutbox.postpone",
    durability: "process",
    prepare: (store) => {
      const { outbox, id } = openTold(store);
      return () => outbox.postpone(id, 9_000);
    },
  },
  {
    change: "SqlOutbox.close",
    durability: "process",
    prepare: (store) => {
      const { outbox, id } = openTold(store);
      return () => outbox.close(id, { outcome: "delivered", at: 2_000 });
    },
  },
  {
    change: "SqlOutbox.purge",
    durability: "process",
    prepare: (store) => {
      const { outbox, id } = openTold(store);
      outbox.close(id, { outcome: "delivered", at: 2_000 });
      return () => outbox.purge(3_000);
    },
  },
  {
    change: "SqlAnswerLinkStore.addLink",
    durability: "process",
    prepare: async (store) => {
      const { id } = await store.accept();
      await ask(store, id);
      const links = new SqlAnswerLinkStore(store.db);
      return () => links.addLink({ hash: "h", requestId: `of ${id}`, expiresAt: 9_000 });
    },
  },
  {
    change: "SqlAcceptanceStore.acceptExecution",
    durability: "power",
    prepare: (store) => () => store.accept({}, "key"),
  },
  {
    change: "SqlAcceptanceStore.acceptExecution",
    of: "a slot",
    durability: "power",
    prepare: (store) => () =>
      store.acceptances.acceptExecution({ ...RUN, trigger: "schedule" }, {
        unlessWaiting: true,
        claim: { type: "slot", scheduledFor: 10, reason: null },
        frames: () => [FRAME],
      }),
  },
  {
    change: "SqlBudgetStore.reserve",
    durability: "process",
    prepare: (store) => () => store.budgets.reserve(CALL),
  },
  {
    change: "SqlBudgetStore.settle",
    durability: "process",
    prepare: async (store) => {
      const reserved = await store.budgets.reserve(CALL);
      const id = "id" in reserved ? reserved.id : 0;
      return () => store.budgets.settle(id, CALL.most, []);
    },
  },
  {
    change: "SqlBudgetStore.settleAbandoned",
    durability: "power",
    prepare: async (store) => {
      await new SqlBudgetStore(store.db, "a dead one").reserve(CALL);
      return () => store.budgets.settleAbandoned(0);
    },
  },
  {
    change: "SqlBudgetStore.raise",
    durability: "power",
    prepare: (store) => () =>
      store.budgets.raise({ scope: "workspace", unit: "usd", period: "day", start: 0, amount: 1 }),
  },
  {
    change: "SqlEndingStore.finishExecution",
    durability: "power",
    prepare: async (store) => {
      const { id } = await store.accept();
      return () => store.endings.finishExecution(id, ending("running"));
    },
  },
  {
    change: "SqlEndingStore.finishExecution",
    of: "one that waits, with a parent that waits for it",
    durability: "power",
    prepare: async (store) => {
      const { child } = await waitingFamily(store);
      return () => store.endings.finishExecution(child, ending("waiting"));
    },
  },
  {
    change: "SqlEndingStore.finishExecution",
    of: "one that others follow",
    durability: "power",
    prepare: async (store) => {
      const { id } = await store.accept();
      return () =>
        store.endings.finishExecution(id, { ...ending("running"), followers: ["other"] });
    },
  },
  {
    change: "SqlFollowUpStore.dropFollowUp",
    durability: "power",
    prepare: async (store) => {
      const { id } = await store.accept();
      await store.endings.finishExecution(id, { ...ending("running"), followers: ["other"] });
      const followUps = new SqlFollowUpStore(store.db);
      return () => followUps.dropFollowUp({ follower: "other", executionId: id });
    },
  },
  {
    change: "SqlEndingStore.leaveExecution",
    durability: "power",
    prepare: async (store) => {
      const { id } = await store.accept();
      return () => store.endings.leaveExecution(id, { durationMs: 5 });
    },
  },
  {
    change: "SqlRequestStore.openRequest",
    durability: "power",
    prepare: async (store) => {
      const { id } = await store.accept();
      return () => ask(store, id);
    },
  },
  {
    change: "SqlRequestStore.answerRequest",
    durability: "power",
    prepare: async (store) => {
      const { child } = await waitingFamily(store);
      return () =>
        store.requests.answerRequest(child, {
          requestId: `of ${child}`,
          answer: { text: "yes" },
          answeredAt: 3_000,
          frames: () => [FRAME],
        });
    },
  },
  {
    change: "SqlFamilyStore.waitForChild",
    durability: "power",
    prepare: async (store) => {
      const { parent, child } = await family(store);
      await ask(store, child);
      return () => waitFor(store, parent, child);
    },
  },
  {
    change: "SqlRecoveryStore.adoptExecution",
    durability: "power",
    prepare: async (store) => {
      const { id } = await store.accept();
      return () => store.recovery.adoptExecution(id);
    },
  },
  {
    change: "SqlConversationStore.beginConversation",
    durability: "process",
    prepare: async (store) => {
      const { id } = await store.accept();
      const message = { role: "user", content: "Hello." } as const;
      const messages = [{ position: 0, message, seeded: false }];
      return () => store.conversations.beginConversation(id, { messages, frames: [FRAME] });
    },
  },
  {
    change: "SqlConversationStore.addFrame",
    durability: "process",
    prepare: async (store) => {
      const { id } = await store.accept();
      return () => store.conversations.addFrame(id, FRAME);
    },
  },
  {
    change: "SqlConversationStore.addMessage",
    durability: "process",
    prepare: async (store) => {
      const { id } = await store.accept();
      const message = { position: 0, message: { role: "user", content: "Again." } } as const;
      return () => store.conversations.addMessage(id, { message, frame: FRAME });
    },
  },
  {
    change: "SqlConversationStore.replaceSystem",
    durability: "process",
    prepare: async (store) => {
      const { id } = await store.accept();
      const placed = (content: string) => (
        { position: 0, message: { role: "system", content } } as const
      );
      const messages = [{ ...placed("Old."), seeded: false }];
      await store.conversations.beginConversation(id, { messages, frames: [] });
      return () => store.conversations.replaceSystem(id, { message: placed("New."), frame: FRAME });
    },
  },
  {
    change: "SqlConversationStore.recordReply",
    durability: "process",
    prepare: async (store) => {
      const { id } = await store.accept();
      return () => reply(store, id);
    },
  },
  ...(["unsafe", "idempotent", "read"] as const).flatMap((effect): DurableChange[] => {
    const durability = effect === "unsafe" ? "power" : "process";
    return [{
      change: "SqlConversationStore.startCall",
      of: `intent, ${effect}`,
      durability,
      prepare: async (store) => {
        const { id } = await store.accept();
        await reply(store, id);
        return () => start(store, id, effect);
      },
    }, {
      change: "SqlConversationStore.finishCall",
      of: `result, ${effect}`,
      durability,
      prepare: async (store) => {
        const { id } = await store.accept();
        await reply(store, id);
        await start(store, id, effect);
        const message = {
          role: "tool",
          toolCallId: "c",
          toolName: "file_write",
          content: "Done.",
          isError: false,
        } as const;
        const result = { message: { position: 1, message }, effect, durationMs: 1 };
        return () => store.conversations.finishCall(id, { ...result, frame: () => FRAME });
      },
    }];
  }),
  {
    change: "SqlConversationStore.resetCall",
    durability: "process",
    prepare: async (store) => {
      const { id } = await store.accept();
      await reply(store, id);
      await start(store, id, "read");
      return () => store.conversations.resetCall(id, 1);
    },
  },
  {
    change: "SqlSlotStore.recordSlots",
    durability: "power",
    prepare: (store) => () =>
      new SqlSlotStore(store.db).recordSlots([{ ...SLOT, outcome: "missed", lastSlot: 10 }]),
  },
  {
    change: "SqlSlotStore.beginSchedule",
    durability: "process",
    prepare: (store) => () => new SqlSlotStore(store.db).beginSchedule(SCHEDULE),
  },
  {
    change: "SqlSlotStore.endSchedules",
    durability: "process",
    prepare: async (store) => {
      const slots = new SqlSlotStore(store.db);
      await slots.beginSchedule(SCHEDULE);
      return () => slots.endSchedules([SCHEDULE.agentId]);
    },
  },
  {
    change: "SqlSlotStore.purgeSlots",
    durability: "process",
    prepare: async (store) => {
      const slots = new SqlSlotStore(store.db);
      for (const scheduledFor of [10, 20, 30]) {
        await slots.recordSlots([{ ...SLOT, scheduledFor, lastSlot: scheduledFor }]);
      }
      return () => slots.purgeSlots({ before: 25, keep: 1 });
    },
  },
  {
    change: "SqlWatchStore.enqueue",
    durability: "power",
    prepare: (store) => () => enqueue(store),
  },
  {
    change: "SqlWatchStore.dropQueued",
    durability: "process",
    prepare: async (store) => {
      await enqueue(store);
      return () => new SqlWatchStore(store.db).dropQueued([CHANGE]);
    },
  },
  {
    change: "SqlWatchStore.markSeen",
    durability: "process",
    prepare: (store) => () =>
      new SqlWatchStore(store.db).markSeen("tester", [{ path: "/a", stamp: "x" }]),
  },
  {
    change: "SqlWatchStore.forgetWatches",
    durability: "process",
    prepare: async (store) => {
      await enqueue(store);
      return () => new SqlWatchStore(store.db).forgetWatches(["tester"]);
    },
  },
  {
    change: "SqlSettingsStore.changeSetting",
    durability: "power",
    prepare: (store) => () =>
      new SqlSettingsStore(store.db).changeSetting("scheduler", "paused", { fallback: "" }),
  },
  {
    change: "SqlKnownToolStore.keepTool",
    durability: "power",
    prepare: (store) => () =>
      new SqlKnownToolStore(store.db).keepTool("files", "read", {
        digest: "1",
        description: "Reads",
        argumentNames: "path",
        schemaDigest: "2",
        hints: "{}",
      }),
  },
  ...(["purge", "removeExecutions"] as const).map((method): DurableChange => ({
    change: `SqlCheckpointStore.${method}`,
    durability: "power",
    prepare: async (store) => {
      const { id } = await store.accept();
      await reply(store, id);
      await store.endings.finishExecution(id, ending("running"));
      const checkpoints = new SqlCheckpointStore(store.db);
      return () =>
        method === "purge"
          ? checkpoints.purge({ keepNewest: false })
          : checkpoints.removeExecutions(Number.MAX_SAFE_INTEGER);
    },
  })),
];

const SLOT: Slot = {
  agentId: "tester",
  scheduledFor: 10,
  outcome: "skipped",
  reason: null,
  executionId: null,
  count: 1,
};
const SCHEDULE = { agentId: "tester", fingerprint: "every 10", anchor: 0, lastSlot: null };
const CHANGE = { agentId: "tester", path: "/a", event: "created", queuedAt: 1 } as const;
const RUN = {
  agentId: "tester",
  displayName: "Tester",
  sessionId: null,
  request: { args: [] },
  parentExecutionId: null,
  parentPosition: null,
  depth: 0,
  model: "",
  startedAt: 1_000,
};

async function enqueue({ db }: TestStore): Promise<void> {
  await new SqlWatchStore(db).enqueue([CHANGE], { dropped: [], seen: [] });
}
