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
import type { Effect } from "../../../runtime/tools/tool.ts";
import type { TestStore } from "../../support/test_store.ts";
import {
  ask,
  ending,
  family,
  FRAME,
  NEW_EXECUTION,
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

/** Brings about what a change needs; returns the call that is observed. */
type Prepare = (store: TestStore) => Promise<() => unknown> | (() => unknown);
type Act = (store: TestStore, id: number) => unknown;

/** A call on an execution that runs, after what `before` does with it. */
const onRun = (act: Act, before?: Act): Prepare => async (store) => {
  const { id } = await store.accept();
  await before?.(store, id);
  return () => act(store, id);
};

/** A call on an outbox with one message. */
const onMessage =
  (act: (outbox: SqlOutbox, id: string) => unknown, before?: typeof act): Prepare => (store) => {
    const outbox = openOutbox(store);
    outbox.announce(BUDGET);
    const { id } = store.sqlite().get<{ id: string }>("SELECT id FROM outbox") ?? { id: "" };
    before?.(outbox, id);
    return () => act(outbox, id);
  };

const endWithFollower: Act = ({ endings }, id) =>
  endings.finishExecution(id, { ...ending("running"), followers: ["other"] });
const message = (role: "user" | "system", content: string) => (
  { position: 0, message: { role, content } } as const
);
const BUDGET = { type: "budget", agentId: null, executionId: null, text: "" } as const;

const finishCall = (effect: Effect): Act => ({ conversations }, id) =>
  conversations.finishCall(id, {
    message: {
      position: 1,
      message: {
        role: "tool",
        toolCallId: "c",
        toolName: "file_write",
        content: "Done.",
        isError: false,
      },
    },
    effect,
    durationMs: 1,
    frame: () => FRAME,
  });
const startCall = (effect: Effect): Act => async (store, id) => {
  await reply(store, id);
  await start(store, id, effect);
};
const endAfterReply: Act = async (store, id) => {
  await reply(store, id);
  await store.endings.finishExecution(id, ending("running"));
};

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

/** Each change with its level; `of` tells apart rows of one method. */
export const DURABLE_CHANGES: readonly [
  change: `Sql${string}`,
  durability: Durability,
  prepare: Prepare,
  of?: string,
][] = [
  ["SqlOutbox.tell", "power", (store) => {
    const outbox = openOutbox(store);
    return () => store.db.change("power", () => outbox.tell(BUDGET));
  }],
  ["SqlOutbox.announce", "process", (store) => {
    const outbox = openOutbox(store);
    return () => outbox.announce(BUDGET);
  }],
  ["SqlOutbox.claim", "process", onMessage((outbox) => outbox.claim(CLAIM))],
  [
    "SqlOutbox.retryAll",
    "process",
    onMessage((outbox) => outbox.retryAll(2_500), (outbox) => outbox.claim(CLAIM)),
  ],
  ["SqlOutbox.postpone", "process", onMessage((outbox, id) => outbox.postpone(id, 9_000))],
  ["SqlOutbox.close", "process", onMessage((outbox, id) => outbox.close(id, DELIVERED))],
  [
    "SqlOutbox.purge",
    "process",
    onMessage((outbox) => outbox.purge(3_000), (outbox, id) => outbox.close(id, DELIVERED)),
  ],
  [
    "SqlAnswerLinkStore.addLink",
    "process",
    onRun(
      ({ db }, id) =>
        new SqlAnswerLinkStore(db).addLink({ hash: "h", requestId: `of ${id}`, expiresAt: 9_000 }),
      ask,
    ),
  ],
  ["SqlAcceptanceStore.acceptExecution", "power", (store) => () => store.accept({}, "key")],
  [
    "SqlAcceptanceStore.acceptExecution",
    "power",
    (store) => () =>
      store.acceptances.acceptExecution({ ...NEW_EXECUTION, trigger: "schedule" }, {
        unlessWaiting: true,
        claim: { type: "slot", scheduledFor: 10, reason: null },
        frames: () => [FRAME],
      }),
    "a slot",
  ],
  ["SqlBudgetStore.reserve", "process", (store) => () => store.budgets.reserve(CALL)],
  ["SqlBudgetStore.settle", "process", async (store) => {
    const reserved = await store.budgets.reserve(CALL);
    const id = "id" in reserved ? reserved.id : 0;
    return () => store.budgets.settle(id, CALL.most, []);
  }],
  ["SqlBudgetStore.settleAbandoned", "power", async (store) => {
    await new SqlBudgetStore(store.db, "a dead one").reserve(CALL);
    return () => store.budgets.settleAbandoned(0);
  }],
  [
    "SqlBudgetStore.raise",
    "power",
    (store) => () =>
      store.budgets.raise({ scope: "workspace", unit: "usd", period: "day", start: 0, amount: 1 }),
  ],
  [
    "SqlEndingStore.finishExecution",
    "power",
    onRun(({ endings }, id) => endings.finishExecution(id, ending("running"))),
  ],
  ["SqlEndingStore.finishExecution", "power", async (store) => {
    const { child } = await waitingFamily(store);
    return () => store.endings.finishExecution(child, ending("waiting"));
  }, "one that waits, with a parent that waits for it"],
  ["SqlEndingStore.finishExecution", "power", onRun(endWithFollower), "one that others follow"],
  [
    "SqlFollowUpStore.dropFollowUp",
    "power",
    onRun(
      ({ db }, executionId) =>
        new SqlFollowUpStore(db).dropFollowUp({ follower: "other", executionId }),
      endWithFollower,
    ),
  ],
  [
    "SqlEndingStore.leaveExecution",
    "power",
    onRun(({ endings }, id) => endings.leaveExecution(id, { durationMs: 5 })),
  ],
  ["SqlRequestStore.openRequest", "power", onRun(ask)],
  ["SqlRequestStore.answerRequest", "power", async (store) => {
    const { child } = await waitingFamily(store);
    return () =>
      store.requests.answerRequest(child, {
        requestId: `of ${child}`,
        answer: { text: "yes" },
        answeredAt: 3_000,
        frames: () => [FRAME],
      });
  }],
  ["SqlFamilyStore.waitForChild", "power", async (store) => {
    const { parent, child } = await family(store);
    await ask(store, child);
    return () => waitFor(store, parent, child);
  }],
  [
    "SqlRecoveryStore.adoptExecution",
    "power",
    onRun(({ recovery }, id) => recovery.adoptExecution(id)),
  ],
  [
    "SqlConversationStore.beginConversation",
    "process",
    onRun(({ conversations }, id) =>
      conversations.beginConversation(id, {
        messages: [{ ...message("user", "Hello."), seeded: false }],
        frames: [FRAME],
      })
    ),
  ],
  [
    "SqlConversationStore.addFrame",
    "process",
    onRun(({ conversations }, id) => conversations.addFrame(id, FRAME)),
  ],
  [
    "SqlConversationStore.addMessage",
    "process",
    onRun(({ conversations }, id) =>
      conversations.addMessage(id, { message: message("user", "Again."), frame: FRAME })
    ),
  ],
  [
    "SqlConversationStore.replaceSystem",
    "process",
    onRun(
      ({ conversations }, id) =>
        conversations.replaceSystem(id, { message: message("system", "New."), frame: FRAME }),
      ({ conversations }, id) =>
        conversations.beginConversation(id, {
          messages: [{ ...message("system", "Old."), seeded: false }],
          frames: [],
        }),
    ),
  ],
  ["SqlConversationStore.recordReply", "process", onRun(reply)],
  ...(["unsafe", "idempotent", "read"] as const).flatMap((effect) => {
    const level = effect === "unsafe" ? "power" : "process";
    const begin = onRun((store, id) => start(store, id, effect), reply);
    const finish = onRun(finishCall(effect), startCall(effect));
    return [
      ["SqlConversationStore.startCall", level, begin, effect],
      ["SqlConversationStore.finishCall", level, finish, effect],
    ] satisfies typeof DURABLE_CHANGES;
  }),
  [
    "SqlConversationStore.resetCall",
    "process",
    onRun(({ conversations }, id) => conversations.resetCall(id, 1), startCall("read")),
  ],
  [
    "SqlSlotStore.recordSlots",
    "power",
    ({ db }) => () =>
      new SqlSlotStore(db).recordSlots([{ ...SLOT, outcome: "missed", lastSlot: 10 }]),
  ],
  [
    "SqlSlotStore.beginSchedule",
    "process",
    ({ db }) => () => new SqlSlotStore(db).beginSchedule(SCHEDULE),
  ],
  ["SqlSlotStore.endSchedules", "process", async ({ db }) => {
    const slots = new SqlSlotStore(db);
    await slots.beginSchedule(SCHEDULE);
    return () => slots.endSchedules([SCHEDULE.agentId]);
  }],
  ["SqlSlotStore.purgeSlots", "process", async ({ db }) => {
    const slots = new SqlSlotStore(db);
    await slots.recordSlots(
      [10, 20, 30].map((scheduledFor) => ({ ...SLOT, scheduledFor, lastSlot: scheduledFor })),
    );
    return () => slots.purgeSlots({ before: 25, keep: 1 });
  }],
  ["SqlWatchStore.enqueue", "power", (store) => () => enqueue(store)],
  ["SqlWatchStore.dropQueued", "process", async (store) => {
    await enqueue(store);
    return () => new SqlWatchStore(store.db).dropQueued([CHANGE]);
  }],
  [
    "SqlWatchStore.markSeen",
    "process",
    ({ db }) => () => new SqlWatchStore(db).markSeen("tester", [{ path: "/a", stamp: "x" }]),
  ],
  ["SqlWatchStore.forgetWatches", "process", async (store) => {
    await enqueue(store);
    return () => new SqlWatchStore(store.db).forgetWatches(["tester"]);
  }],
  [
    "SqlSettingsStore.changeSetting",
    "power",
    ({ db }) => () =>
      new SqlSettingsStore(db).changeSetting("scheduler", "paused", { fallback: "" }),
  ],
  [
    "SqlKnownToolStore.keepTool",
    "power",
    ({ db }) => () =>
      new SqlKnownToolStore(db).keepTool("files", "read", {
        digest: "1",
        description: "Reads",
        argumentNames: "path",
        schemaDigest: "2",
        hints: "{}",
      }),
  ],
  [
    "SqlCheckpointStore.purge",
    "power",
    onRun(({ db }) => new SqlCheckpointStore(db).purge({ keepNewest: false }), endAfterReply),
  ],
  [
    "SqlCheckpointStore.removeExecutions",
    "power",
    onRun(
      ({ db }) => new SqlCheckpointStore(db).removeExecutions(Number.MAX_SAFE_INTEGER),
      endAfterReply,
    ),
  ],
];

const CLAIM = { except: [], kinds: null, now: 2_000 };
const DELIVERED = { outcome: "delivered", at: 2_000 } as const;
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
async function enqueue({ db }: TestStore): Promise<void> {
  await new SqlWatchStore(db).enqueue([CHANGE], { dropped: [], seen: [] });
}
