// Reads the new mails of one account for all of its agents: waits for news, and passes each mail on in order.
import { backoffMs } from "../../../base/backoff.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import { NO_LONGER_NEEDED } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";
import { LeaseLost } from "../../database/database.ts";
import type { Trigger } from "../../agents/agent.ts";
import { type FoundMail, requireMailbox } from "../../mail/found_mail.ts";
import type { ImapConnection } from "../../mail/imap_connection.ts";
import { MailError } from "../../mail/mail_error.ts";
import { fetchHeads, findNewest, finishMail, HEADS_AT_ONCE } from "./mail_folder.ts";
import type { IntakeOutcome, MailTriggersPorts } from "./mail_intake.ts";
import type { MailFailure } from "./mail_reading.ts";
import type { MailPosition } from "./mail_store.ts";

/** The interval of the polls. An IDLE never lasts longer, because servers end a long one. */
export const POLL_MS = 2 * MINUTE_MS;
const RETRY = { firstMs: 5_000, longestMs: 5 * MINUTE_MS };
/** The time after which a message reports that an account cannot be reached. */
export const REPORT_MS = 15 * MINUTE_MS;

/** An agent with a mail trigger, or a channel that waits for replies. */
export interface MailReader {
  id: string;
  trigger: Pick<Trigger<"mail">, "account" | "folder" | "sinceMs" | "then">;
}

/** The readers of one account: agents, and channels that wait for replies. */
export interface MailReaders {
  list: () => readonly MailReader[];
  /** Passes a mail to a reader. Throws MailError if the mail cannot be read. */
  take: (reader: MailReader, mail: FoundMail, signal: AbortSignal) => Promise<IntakeOutcome>;
}

/** The reader of one account. */
export class MailListener implements AsyncDisposable {
  readonly account: string;
  readonly #ports: MailTriggersPorts;
  readonly #readers: MailReaders;
  readonly #over = new AbortController();
  #waking = new AbortController();
  #failure: MailFailure | undefined;
  #isReported = false;
  readonly #folderFailures = new Map<string, MailFailure>();
  /** The mails to move, as soon as every agent of their folder has passed them. */
  readonly #moves = new Set<{ mail: FoundMail; then: Trigger<"mail">["then"] }>();
  readonly #running: Promise<void>;

  /** Starts to read the account. */
  constructor(account: string, ports: MailTriggersPorts, readers: MailReaders) {
    this.account = account;
    this.#ports = ports;
    this.#readers = readers;
    this.#running = this.#run();
  }

  /** Returns the present failure of the account, or of one of its folders. */
  failureOf(folder: string): MailFailure | undefined {
    return this.#failure ?? this.#folderFailures.get(folder);
  }

  /** Reads the account at once, because an agent, a setting or an obstacle has changed. */
  wake(): void {
    this.#waking.abort(NO_LONGER_NEEDED);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort(NO_LONGER_NEEDED);
    await this.#running;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#over.signal.aborted) {
      this.#waking = new AbortController();
      const signal = AbortSignal.any([this.#over.signal, this.#waking.signal]);
      try {
        if (this.#ports.isHeld(this.account)) {
          const connection = this.#ports.accounts.connection(this.account);
          using _following = connection.follow();
          const { announced } = connection;
          await this.#readAll(connection);
          failures = 0;
          this.#succeeded();
          const [first] = this.#folders();
          if (first !== undefined && !this.#over.signal.aborted) {
            await connection.waitForNews(first, { ms: POLL_MS, announced, signal });
            continue;
          }
        }
        await sleepUnlessAborted(this.#ports.clock, POLL_MS, signal);
      } catch (error) {
        if (this.#over.signal.aborted) return;
        await this.#failed(error);
        // A refused password is not tried again soon, because servers lock accounts.
        const isFinal = error instanceof MailError && error.kind === "password";
        const ms = isFinal ? RETRY.longestMs : backoffMs(++failures, RETRY);
        await sleepUnlessAborted(this.#ports.clock, ms, signal);
      }
    }
  }

  /** Returns the folders that exist, of which the first is followed with IDLE. */
  #folders(): string[] {
    const all = new Set(this.#readers.list().map(({ trigger }) => trigger.folder));
    return [...all].filter((folder) => !this.#folderFailures.has(folder))
      .sort((a, b) => Number(b === "INBOX") - Number(a === "INBOX"));
  }

  async #readAll(connection: ImapConnection): Promise<void> {
    const byFolder = Map.groupBy(this.#readers.list(), ({ trigger }) => trigger.folder);
    for (const folder of this.#folderFailures.keys()) {
      if (!byFolder.has(folder)) this.#folderFailures.delete(folder);
    }
    // The followed folder is read last, so that it stays open.
    const [followed] = this.#folders();
    const order = [...byFolder].sort(([a], [b]) => Number(a === followed) - Number(b === followed));
    for (const [folder, agents] of order) {
      try {
        await this.#readFolder(connection, { folder, agents });
        this.#folderFailures.delete(folder);
      } catch (error) {
        if (!(error instanceof MailError) || error.kind !== "folder") throw error;
        if (this.#folderFailures.has(folder)) continue;
        const { clock, log } = this.#ports;
        this.#folderFailures.set(folder, { since: clock.now(), reason: error.message });
        log.write("warn", "A mail folder cannot be read", { account: this.account, folder, error });
      }
    }
  }

  /** Passes the new mails of a folder to its agents, in order. An agent that must wait gets them at a later call. */
  async #readFolder(
    connection: ImapConnection,
    { folder, agents }: { folder: string; agents: readonly MailReader[] },
  ): Promise<void> {
    const { isHeld, log, store } = this.#ports;
    const { signal } = this.#over;
    const positions = new Map<string, MailPosition>();
    for (const agent of agents) {
      positions.set(agent.id, await this.#positionOf(connection, agent));
    }
    await this.#move(connection, { folder, positions });
    let active = [...agents];
    while (active.length > 0 && !signal.aborted) {
      const lastUid = Math.min(...active.map(({ id }) => positions.get(id)?.lastUid ?? 0));
      const mails = await connection.inFolder(
        folder,
        (client) => fetchHeads(client, { connection, folder, lastUid }),
      );
      // A position is stored once for these mails: after a kill, they are read again and start no second run.
      const moved = new Map<string, MailPosition>();
      try {
        for (const mail of mails) {
          // The folder was created again meanwhile. The next call finds the new positions.
          if (active.some(({ id }) => positions.get(id)?.uidValidity !== mail.uidValidity)) return;
          const then: Trigger<"mail">["then"][] = [];
          const waiting = new Set<MailReader>();
          for (const agent of active) {
            const position = positions.get(agent.id);
            if (position === undefined || position.lastUid >= mail.uid) continue;
            if (signal.aborted) return;
            // Between two nodes, or after an edit, the mail belongs to somebody else.
            const isStill = isHeld(this.account) &&
              this.#readers.list().some((one) => one.id === agent.id && isSame(one, position));
            const outcome = isStill ? await this.#readers.take(agent, mail, signal) : "later";
            if (outcome === "later") {
              waiting.add(agent);
              continue;
            }
            if (outcome === "started") then.push(agent.trigger.then);
            position.lastUid = mail.uid;
            moved.set(agent.id, position);
          }
          for (const one of then) if (typeof one === "object") this.#moves.add({ mail, then: one });
          if (then.includes("seen")) await finishMail(connection, { mail, then: "seen", log });
          await this.#move(connection, { folder, positions });
          active = active.filter((agent) => !waiting.has(agent));
          if (active.length === 0) return;
        }
      } finally {
        for (const [id, position] of moved) await store.writePosition(id, position);
      }
      if (mails.length < HEADS_AT_ONCE) return;
    }
  }

  /** Moves the mails of a folder that all agents have passed. An agent that must wait finds the others later. */
  async #move(
    connection: ImapConnection,
    { folder, positions }: { folder: string; positions: ReadonlyMap<string, MailPosition> },
  ): Promise<void> {
    for (const one of [...this.#moves].filter(({ mail }) => mail.folder === folder)) {
      const { uid, uidValidity } = one.mail;
      const all = [...positions.values()];
      const isUnchanged = all.every((position) => position.uidValidity === uidValidity);
      if (isUnchanged && all.some(({ lastUid }) => lastUid < uid)) continue;
      if (isUnchanged) await finishMail(connection, { ...one, log: this.#ports.log });
      this.#moves.delete(one);
    }
  }

  /** Returns the position of an agent. It is the newest mail at the first call, and after the folder was created again. */
  async #positionOf(
    connection: ImapConnection,
    { id, trigger }: MailReader,
  ): Promise<MailPosition> {
    const { store, clock, log } = this.#ports;
    const { folder, sinceMs } = trigger;
    const { account } = this;
    const known = await store.readPosition(id);
    const isKnown = known?.account === account && known.folder === folder;
    return await connection.inFolder(folder, async (client) => {
      const { uidValidity: validity, uidNext } = requireMailbox(client);
      const uidValidity = Number(validity);
      if (isKnown && known.uidValidity === uidValidity) return known;
      const since = isKnown || sinceMs === 0 ? undefined : clock.now() - sinceMs;
      const lastUid = await findNewest(client, { uidNext, since });
      if (isKnown) {
        const message =
          "A mail folder was created again: only mails that arrive from now on are taken";
        log.write("warn", message, { agent: id, account, folder });
      }
      const position = { account, folder, uidValidity, lastUid };
      await store.writePosition(id, position);
      return position;
    });
  }

  #succeeded(): void {
    if (this.#failure === undefined) return;
    const { log, clock } = this.#ports;
    const minutes = Math.round((clock.now() - this.#failure.since) / MINUTE_MS);
    log.write("info", "A mail account can be reached again", { account: this.account, minutes });
    this.#failure = undefined;
    this.#isReported = false;
  }

  async #failed(error: unknown): Promise<void> {
    const { log, clock, report } = this.#ports;
    // Another machine reads the account now.
    if (error instanceof LeaseLost) return;
    const reason = error instanceof MailError ? error.message : "an unexpected error, see the log";
    if (this.#failure === undefined || !(error instanceof MailError)) {
      log.write("warn", "A mail account cannot be read", { account: this.account, error });
    }
    this.#failure = { since: this.#failure?.since ?? clock.now(), reason };
    if (this.#isReported || clock.now() - this.#failure.since < REPORT_MS) return;
    this.#isReported = true;
    await report(this.account, this.#failure);
  }
}

function isSame({ trigger }: MailReader, { account, folder }: MailPosition): boolean {
  return trigger.account === account && trigger.folder === folder;
}
