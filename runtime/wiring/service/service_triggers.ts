// Creates the triggers of a service: schedules, watches, webhooks and `after`.
import { join } from "../../../base/plain_path.ts";
import type { Agent } from "../../agents/agent.ts";
import { replyChannels } from "../../config/notify_schema.ts";
import { hostNames } from "../../config/database_settings.ts";
import { get } from "../../database/operation.ts";
import { FollowUps } from "../../triggers/after/follow_ups.ts";
import { mailLease, SqlMailStore } from "../../triggers/mail/mail_store.ts";
import type { SqlSettingsStore } from "../../triggers/settings_store.ts";
import type { TriggerLease } from "../../triggers/trigger_lease.ts";
import { describeHostMismatch, TRIGGER_LEASE } from "../../vocabulary/trigger_kinds.ts";
import { once } from "../once.ts";
import type { OpenedParts } from "../open_parts.ts";
import { Checks } from "../../triggers/change/checks.ts";
import { Scheduler } from "../../triggers/schedule/scheduler.ts";
import { Triggers } from "../../triggers/triggers.ts";
import type { LazySource } from "../../triggers/trigger_source.ts";
import { isTriggeredBy } from "../../triggers/firing/fire.ts";
import { StoppedTriggers } from "../../triggers/firing/stopped_triggers.ts";
import { Webhooks } from "../../triggers/webhook/webhooks.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { createStartRun } from "./start_run.ts";

const loadAnswers = lazyModule(() => import("../../notify/mail_answers.ts"));
const loadLease = lazyModule(() => import("../../triggers/trigger_lease.ts"));
const loadMailTriggers = lazyModule(() => import("../../triggers/mail/mail_triggers.ts"));
const loadWatcher = lazyModule(() => import("../../triggers/watch/watcher.ts"));
const loadWatchStore = lazyModule(() => import("../../triggers/watch/watch_store.ts"));

/** Creates the triggers. No trigger fires before start(). The watcher is loaded with the first agent that has a watch. */
export function createServiceTriggers(parts: OpenedParts): Triggers {
  const { settings, db, clock, registry, node } = parts;
  const isShared = node !== undefined;
  const stops = new StoppedTriggers({ ...parts, store: parts.triggerStates, isShared });
  const hosts = () => hostNames(settings);
  let lease: TriggerLease | undefined;
  const isLeased = (agent: Agent) => lease !== undefined && agent.onlyOn?.length !== 1;
  const inactiveReason = (id: string) => {
    const agent = registry.get(id);
    if (agent === undefined) return undefined;
    return describeHostMismatch(agent.onlyOn, hosts) ??
      (isLeased(agent) ? lease?.inactiveReason : undefined);
  };
  const findHoldReason = async (agent: Agent) =>
    describeHostMismatch(agent.onlyOn, hosts) ??
      (isLeased(agent) ? await lease?.findHoldReason() : undefined);
  const isPaused = async () => await parts.pause.state() === "paused";
  /** The requested leases, by the kind of work. */
  const leases = new Map<string, readonly string[]>();
  const context = {
    ...parts,
    ...{ stops, isShared, inactiveReason, findHoldReason, isPaused },
    start: createStartRun(parts, stops),
    openSandbox: (agent: Agent) => parts.openSandbox(agent, { lineage: [] }),
    async requestLeases(kind: string, names: readonly string[]) {
      leases.set(kind, names);
      await node?.requestLeases([...leases.values()].flat());
    },
    holdsLease: (name: string) => node?.leases.holds(name),
  };
  const checks = new Checks(context);
  const scheduler = new Scheduler({
    ...context,
    check: (agent, scheduledFor) => checks.begin(agent, scheduledFor),
  });
  const webhooks = new Webhooks({
    ...context,
    async findByKey(key) {
      return (await parts.executions.readByKey(key, clock.now()))?.execution;
    },
  });
  const openStore = async () => new (await loadWatchStore()).SqlWatchStore(db);
  const watches: LazySource = {
    async isWanted(agents) {
      if (agents.some((agent) => isTriggeredBy(agent, "watch"))) return true;
      return (await (await openStore()).listAgents()).length > 0;
    },
    open: once(async () => {
      const [{ Watcher }, store, ownWrites] = await Promise.all([
        loadWatcher(),
        openStore(),
        parts.openOwnWrites(),
      ]);
      return new Watcher({
        ...context,
        ...{ store, ownWrites },
        async isPaused() {
          // A machine that was suspended may have lost its lease; then its watches are stopped.
          await lease?.findHoldReason();
          return await isPaused();
        },
      });
    }),
  };
  const mails: LazySource = {
    async isWanted(agents) {
      if (replyChannels(settings.config).length > 0) return true;
      if (agents.some((agent) => isTriggeredBy(agent, "mail"))) return true;
      const positions = "SELECT 1 FROM mail_positions LIMIT 1";
      return await db.read(() => get(positions)) !== undefined;
    },
    open: once(async () => {
      const { MailTriggers } = await loadMailTriggers();
      return new MailTriggers({
        ...context,
        store: new SqlMailStore(db),
        accounts: await parts.openMail(),
        channels: () => replyChannels(settings.config),
        answer: async (channel, mail) =>
          await (await loadAnswers()).takeAnswer(channel, mail, parts),
        requestAccounts: (names) => context.requestLeases("mail", names.map(mailLease)),
        isHeld: (name) =>
          context.holdsLease(mailLease(name)) ?? lease?.inactiveReason === undefined,
        report: (account, failure) =>
          parts.notifications.outbox.announce({ type: "account", account, ...failure }),
      });
    }),
  };
  const triggers = new Triggers({
    ...context,
    ...(!isShared && {
      async openLease() {
        const { TriggerLease } = await loadLease();
        return lease = new TriggerLease({
          file: join(settings.directories.agentsDir, TRIGGER_LEASE),
          readId: once(() => readServiceId(parts.remembered)),
          host: hosts()[0] ?? "",
          ...{ clock, log: parts.log },
          async changed(change) {
            const store = await openStore();
            // Another service ran the triggers until now and has handled these changes, so they are skipped.
            const isOld = (id: string) => {
              const agent = registry.get(id);
              return agent !== undefined && isLeased(agent);
            };
            if (change === "taken") {
              await store.forgetWatches((await store.listAgents()).filter(isOld));
            }
            triggers.reloadShares();
          },
        });
      },
    }),
    scheduler,
    webhooks,
    sources: [scheduler, checks, new FollowUps(context), watches, mails],
  });
  return triggers;
}

/** Returns the id of this service's state folder. Creates the id on the first call. */
async function readServiceId(remembered: SqlSettingsStore): Promise<string> {
  const known = await remembered.readSetting("service_id");
  if (known !== undefined) return known;
  const id = crypto.randomUUID();
  await remembered.changeSetting("service_id", id, { fallback: "" });
  return id;
}
