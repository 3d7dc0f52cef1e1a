// One call of every writing method of the stores, with the durability that its change requires.
import { SqlAudit } from "../../../runtime/audit/audit.ts";
import { SqlBudgetStore } from "../../../runtime/executions/budget/budget_store.ts";
import { SqlCheckpointStore } from "../../../runtime/storage/executions/checkpoints.ts";
import { SqlChatNotes } from "../../../runtime/notify/chat_notes.ts";
import { SqlAnswerLinkStore } from "../../../runtime/notify/answer_links.ts";
import { SqlFollowUpStore } from "../../../runtime/triggers/after/follow_up_store.ts";
import { SqlKnownToolStore } from "../../../runtime/storage/known_tools.ts";
import { SqlNamedKeys } from "../../../runtime/people/named_keys.ts";
import { SqlMailStore } from "../../../runtime/triggers/mail/mail_store.ts";
import { SqlOutbox } from "../../../runtime/notify/outbox.ts";
import { SqlSettingsStore } from "../../../runtime/triggers/settings_store.ts";
import { SqlSlotStore } from "../../../runtime/storage/slots.ts";
import { SqlTriggerStateStore } from "../../../runtime/triggers/firing/trigger_state_store.ts";
import { SqlWatchStore } from "../../../runtime/triggers/watch/watch_store.ts";
import type { Slot } from "../../../runtime/triggers/schedule/slot_store.ts";
import type { Effect } from "../../../runtime/tools/definition/tool.ts";
import type { TestStore } from "../../support/test_store.ts";
import { ask, ending, family, FRAME, NEW_EXECUTION, reply, start } from "./stored_situations.ts";
import { waitFor, waitingFamily } from "./stored_situations.ts";

/** The owner of a reservation that belongs to no agent. */
const NOBODY = { agentId: null, executionId: null, rootId: null };
const CALL = { ...NOBODY, at: 1_000, most: { nanos: 5, tokens: 5 }, budgets: [] };

const CLAIM = { except: [], kinds: null, now: 2_000 };
const DELIVERED = { outcome: "delivered", at: 2_000 } as const;
const SKIPPED = { outcome: "skipped", reason: null, executionId: null } as const;
const SLOT: Slot = { agentId: "tester", scheduledFor: 10, ...SKIPPED, count: 1 };
const SCHEDULE = { agentId: "tester", fingerprint: "every 10", anchor: 0, lastSlot: null };
const CHANGE = { agentId: "tester", path: "/a", event: "created", queuedAt: 1 } as const;
const BUDGET = { type: "budget", agentId: null, executionId: null, text: "" } as const;
const RAISE = { scope: "workspace", unit: "usd", period: "day", start: 0, amount: 1 } as const;
const INBOX = { account: "home", folder: "INBOX", uidValidity: 1, lastUid: 2 };
const RAN = { durationMs: 5, frames: [] };
const REST = { until: 10, since: 1, reason: "later" };
const SCHEMA = { argumentNames: "path", schemaDigest: "2", hints: "{}" };
const TOOL = { digest: "1", description: "Reads", ...SCHEMA };

const openAudit = (db: TestStore["db"], now = 1) =>
  new SqlAudit(db, { clock: { now: () => now }, days: () => 1 });
const PERSON = { via: "terminal", name: "anna" } as const;
const openKeys = (db: TestStore["db"], now = 1) =>
  new SqlNamedKeys(db, { clock: { now: () => now }, audit: openAudit(db) });
const KEY = { name: "anna", role: "viewer", agents: null, lifeMs: null } as const;
const openNotes = (db: TestStore["db"], now = 1) =>
  new SqlChatNotes(db, { chat: "phone", clock: { now: () => now } });

/** A function that prepares the state for a change, and returns a function with the observed call. */
type Prepare = (store: TestStore) => Promise<() => unknown> | (() => unknown);
type Act = (store: TestStore, id: number) => unknown;

/** Returns a preparation with a running execution, on which `before` and then the observed `act` are called. */
const onRun = (act: Act, before?: Act): Prepare => async (store) => {
  const { id } = await store.accept();
  await before?.(store, id);
  return () => act(store, id);
};

/** Returns a preparation with a named key, on which the observed `act` is called. */
const onKey = (act: (keys: SqlNamedKeys, key: string) => unknown): Prepare => async ({ db }) => {
  const key = await openKeys(db).add(KEY, PERSON);
  return () => act(openKeys(db, 100_000), key);
};

/** Returns a preparation with an outbox that contains one message. */
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
const message = (role: "user" | "system") => (
  { position: 0, message: { role, content: "Hello." } } as const
);
const begin = (role: "user" | "system"): Act => ({ conversations }, id) =>
  conversations.beginConversation(id, {
    messages: [{ ...message(role), seeded: false }],
    frames: [FRAME],
  });

const ABOUT = { toolCallId: "c", toolName: "file_write" };
const finishCall = (effect: Effect): Act => ({ conversations }, id) =>
  conversations.finishCall(id, {
    message: { position: 1, message: { role: "tool", ...ABOUT, content: "Done.", isError: false } },
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

/** Opens an outbox whose messages have empty texts. */
function openOutbox({ db }: TestStore): SqlOutbox {
  const draft = {
    channel: "phone",
    kind: "error" as const,
    agentId: "tester",
    executionId: 1,
    requestId: null,
    isFoldable: true,
    title: "Tester failed",
    text: "It broke",
  };
  const draftMessages = () => [draft];
  return new SqlOutbox(db, { draftMessages, now: () => 1_000, stored: () => {}, failed: () => {} });
}

/**
 * The changes that must survive a power cut, by the name of their method. A text in brackets distinguishes several rows of
 * one method.
 */
export const POWER: Record<string, Prepare> = {
  "SqlOutbox.record": (on) => () => on.db.change("power", () => openOutbox(on).record(BUDGET)),
  "SqlAcceptanceStore.acceptExecution": (on) => () => on.accept({}, "key"),
  "SqlAcceptanceStore.acceptExecution [a slot]": (on) => () =>
    on.acceptances.acceptExecution({ ...NEW_EXECUTION, trigger: "schedule" }, {
      unlessWaiting: true,
      claim: { type: "slot", scheduledFor: 10, reason: null },
      frames: () => [FRAME],
    }),
  "SqlBudgetStore.settleAbandoned": async ({ db, budgets }) => {
    await new SqlBudgetStore(db, "a dead one").reserve(CALL);
    return () => budgets.settleAbandoned(0);
  },
  "SqlBudgetStore.raise": ({ budgets }) => () => budgets.raise(RAISE),
  "SqlEndingStore.finishExecution": onRun((on, id) =>
    on.endings.finishExecution(id, ending("running"))
  ),
  "SqlEndingStore.finishExecution [one that waits, with a parent that waits for it]": async (
    on,
  ) => {
    const { child } = await waitingFamily(on);
    return () => on.endings.finishExecution(child, ending("waiting"));
  },
  "SqlEndingStore.finishExecution [one that others follow]": onRun(endWithFollower),
  "SqlFollowUpStore.dropFollowUp": onRun(
    ({ db }, executionId) =>
      new SqlFollowUpStore(db).dropFollowUp({ follower: "other", executionId }),
    endWithFollower,
  ),
  "SqlEndingStore.restExecution": onRun((on, id) => on.endings.restExecution(id, RAN)),
  "SqlRestStore.endRest": onRun(
    (on, id) => on.rests.endRest(id, { at: 20, by: "time" }),
    (on, id) => on.endings.restExecution(id, { ...RAN, rest: REST }),
  ),
  "SqlRequestStore.openRequest": onRun(ask),
  "SqlRequestStore.answerRequest": async (on) => {
    const { child } = await waitingFamily(on);
    const answer = { answer: { text: "yes" }, answeredAt: 3_000, frames: () => [FRAME] };
    return () => on.requests.answerRequest(child, { requestId: `of ${child}`, ...answer });
  },
  "SqlFamilyStore.waitForChild": async (on) => {
    const { parent, child } = await family(on);
    await ask(on, child);
    return () => waitFor(on, parent, child);
  },
  "SqlRecoveryStore.adoptExecution": onRun((on, id) => on.recovery.adoptExecution(id)),
  "SqlConversationStore.startCall [unsafe]": onRun((on, id) => start(on, id, "unsafe"), reply),
  "SqlConversationStore.finishCall [unsafe]": onRun(finishCall("unsafe"), startCall("unsafe")),
  "SqlSlotStore.recordSlots": ({ db }) => () =>
    new SqlSlotStore(db).recordSlots([{ ...SLOT, outcome: "missed", lastSlot: 10 }]),
  "SqlWatchStore.enqueue": (on) => () => enqueue(on),
  "SqlTriggerStateStore.postponeTry": async (on) => {
    await stopTrigger(on);
    return () => new SqlTriggerStateStore(on.db).postponeTry("tester", 2_000);
  },
  "SqlTriggerStateStore.release": async (on) => {
    await stopTrigger(on);
    return () => new SqlTriggerStateStore(on.db).release("tester", { dropsChanges: true });
  },
  "SqlSettingsStore.changeSetting": ({ db }) => () =>
    new SqlSettingsStore(db).changeSetting("scheduler", "paused", { fallback: "" }),
  "SqlNamedKeys.add": ({ db }) => () => openKeys(db).add(KEY, PERSON),
  "SqlNamedKeys.renew": onKey((keys) => keys.renew("anna", PERSON)),
  "SqlNamedKeys.revoke": onKey((keys) => keys.revoke("anna", PERSON)),
  "SqlAudit.record": ({ db }) => () => openAudit(db).record("pause", PERSON),
  "SqlAudit.checkFiles": ({ db }) => () =>
    openAudit(db).checkFiles([{ file: "/a.md", digest: "1" }]),
  "SqlKnownToolStore.keepTool": ({ db }) => () =>
    new SqlKnownToolStore(db).keepTool("files", "read", TOOL),
  "SqlCheckpointStore.purge": onRun(
    ({ db }) => new SqlCheckpointStore(db).purge({ keepNewest: false }),
    endAfterReply,
  ),
  "SqlCheckpointStore.removeExecutions": onRun(
    ({ db }) => new SqlCheckpointStore(db).removeExecutions(Number.MAX_SAFE_INTEGER),
    endAfterReply,
  ),
};

/** The changes that must survive a crash of the process, by the name of their method. */
export const PROCESS: Record<string, Prepare> = {
  "SqlMailStore.writePosition": ({ db }) => () => new SqlMailStore(db).writePosition("m", INBOX),
  "SqlMailStore.forget": async ({ db }) => {
    await new SqlMailStore(db).writePosition("m", INBOX);
    return () => new SqlMailStore(db).forget(["m"]);
  },
  "SqlOutbox.announce": (on) => () => openOutbox(on).announce(BUDGET),
  "SqlOutbox.claim": onMessage((outbox) => outbox.claim(CLAIM)),
  "SqlOutbox.retryAll": onMessage(
    (outbox) => outbox.retryAll(2_500),
    (outbox) => outbox.claim(CLAIM),
  ),
  "SqlOutbox.postpone": onMessage((outbox, id) => outbox.postpone(id, 9_000)),
  "SqlOutbox.close": onMessage((outbox, id) => outbox.close(id, DELIVERED)),
  "SqlOutbox.purge": onMessage(
    (outbox) => outbox.purge(3_000),
    (outbox, id) => outbox.close(id, DELIVERED),
  ),
  "SqlAnswerLinkStore.addLink": onRun(
    ({ db }, id) =>
      new SqlAnswerLinkStore(db).addLink({ hash: "h", requestId: `of ${id}`, expiresAt: 9_000 }),
    ask,
  ),
  "SqlNamedKeys.find": onKey((keys, key) => keys.find(key)),
  "SqlAudit.sweep": async ({ db }) => {
    await openAudit(db).record("pause", PERSON);
    return () => openAudit(db, 9e11).sweep();
  },
  "SqlChatNotes.write": ({ db }) => () => openNotes(db).write("a", 1),
  "SqlChatNotes.remove": async ({ db }) => {
    await openNotes(db).write("a", 1);
    return () => openNotes(db).remove("a");
  },
  "SqlChatNotes.purge": async ({ db }) => {
    await openNotes(db).write("a", 1);
    return () => openNotes(db, 9e11).purge("a");
  },
  "SqlChatNotes.claim": ({ db }) => () => openNotes(db).claim("poller", "this process", 5),
  "SqlChatNotes.release": async ({ db }) => {
    await openNotes(db).claim("poller", "this process", 5);
    return () => openNotes(db).release("poller", "this process");
  },
  "SqlBudgetStore.reserve": ({ budgets }) => () => budgets.reserve(CALL),
  "SqlBudgetStore.settle": async ({ budgets }) => {
    const reserved = await budgets.reserve(CALL);
    const id = "id" in reserved ? reserved.id : 0;
    return () => budgets.settle(id, CALL.most, []);
  },
  "SqlConversationStore.beginConversation": onRun(begin("user")),
  "SqlConversationStore.addFrame": onRun((on, id) => on.conversations.addFrame(id, FRAME)),
  "SqlConversationStore.addMessage": onRun((on, id) =>
    on.conversations.addMessage(id, { message: message("user"), frame: FRAME })
  ),
  "SqlConversationStore.replaceSystem": onRun(
    (on, id) => on.conversations.replaceSystem(id, { message: message("system"), frame: FRAME }),
    begin("system"),
  ),
  "SqlConversationStore.recordReply": onRun(reply),
  "SqlConversationStore.startCall [idempotent]": onRun(
    (on, id) => start(on, id, "idempotent"),
    reply,
  ),
  "SqlConversationStore.startCall [read]": onRun((on, id) => start(on, id, "read"), reply),
  "SqlConversationStore.finishCall [idempotent]": onRun(
    finishCall("idempotent"),
    startCall("idempotent"),
  ),
  "SqlConversationStore.finishCall [read]": onRun(finishCall("read"), startCall("read")),
  "SqlConversationStore.resetCall": onRun(
    (on, id) => on.conversations.resetCall(id, 1),
    startCall("read"),
  ),
  "SqlSlotStore.beginSchedule": ({ db }) => () => new SqlSlotStore(db).beginSchedule(SCHEDULE),
  "SqlSlotStore.endSchedules": async ({ db }) => {
    const slots = new SqlSlotStore(db);
    await slots.beginSchedule(SCHEDULE);
    return () => slots.endSchedules([SCHEDULE.agentId]);
  },
  "SqlSlotStore.purgeSlots": async ({ db }) => {
    const slots = new SqlSlotStore(db);
    await slots.recordSlots(
      [10, 20, 30].map((scheduledFor) => ({ ...SLOT, scheduledFor, lastSlot: scheduledFor })),
    );
    return () => slots.purgeSlots({ before: 25, keep: 1 });
  },
  "SqlWatchStore.dropQueued": async (on) => {
    await enqueue(on);
    return () => new SqlWatchStore(on.db).dropQueued([CHANGE]);
  },
  "SqlWatchStore.markSeen": ({ db }) => () =>
    new SqlWatchStore(db).markSeen("tester", [{ path: "/a", stamp: "x" }]),
  "SqlWatchStore.keepDigests": async ({ db }) => {
    const watches = new SqlWatchStore(db);
    await watches.markSeen("tester", [{ path: "/a", stamp: "x" }]);
    return () => watches.keepDigests("tester", [{ path: "/a", stamp: "x", digest: "y" }]);
  },
  "SqlWatchStore.forgetWatches": async (on) => {
    await enqueue(on);
    return () => new SqlWatchStore(on.db).forgetWatches(["tester"]);
  },
};

async function enqueue({ db }: TestStore): Promise<void> {
  await new SqlWatchStore(db).enqueue([CHANGE], { dropped: [], seen: [] });
}

async function stopTrigger(on: TestStore): Promise<void> {
  const insert = "INSERT INTO trigger_states (agent_id, failures, print, reason, retry_at) ";
  await on.run(`${insert}VALUES ('tester', 10, '', 'It failed', 1000)`);
}
