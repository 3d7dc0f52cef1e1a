// Decides if a mail starts a run of an agent, and starts it.
import type { TriggerContext } from "../firing/trigger_context.ts";
import type { Agent, Trigger } from "../../agents/agent.ts";
import { sha256Of } from "../../../base/sha256.ts";
import { HOUR_MS } from "../../../base/time_units.ts";
import type { FoundMail } from "../../mail/found_mail.ts";
import type { MailAccounts } from "../../mail/mail_accounts.ts";
import { findQuestion } from "../../mail/question_id.ts";
import { MailError } from "../../mail/mail_error.ts";
import type { MailHead, ReadMail } from "../../mail/read_mail.ts";
import { automaticReason, isProven } from "../../mail/sender_proof.ts";
import type { PathSandbox } from "../../tools/files/path_sandbox.ts";
import { describeMail, readContent } from "../../tools/mail/mail_content.ts";
import type { TakenMail } from "../../vocabulary/run_cause.ts";
import { matchesPattern } from "../../vocabulary/tool_vocabulary.ts";
import type { TriggeredAgent } from "../firing/fire.ts";
import type { MailFailure, PassedMail } from "./mail_reading.ts";
import type { SqlMailStore } from "./mail_store.ts";

/** The maximum number of runs within an hour that the mails of one sender start. Ends loops between two programs. */
const MAX_RUNS_OF_SENDER = 20;
/** The maximum number of the agent's runs by mail that have not ended. */
export const MAX_OPEN_RUNS = 20;

/** An agent with a mail trigger. */
export type MailAgent = TriggeredAgent<"mail">;

/**
 * The outcome for one agent. `passed`: the mail starts nothing. `later`: it may start a run when the obstacle is gone.
 */
export type IntakeOutcome = "started" | "passed" | "later";

/** The objects that mail triggers need. */
export interface MailTriggersPorts extends TriggerContext {
  store: SqlMailStore;
  accounts: MailAccounts;
  openSandbox: (agent: Agent) => Promise<PathSandbox>;
  /** Returns the names and accounts of the channels whose replies answer questions. */
  channels: () => readonly { name: string; account: string }[];
  /** Takes a mail as an answer to a question, if it is one. Throws MailError. */
  answer: (channel: string, mail: FoundMail) => Promise<void>;
  /** Requests the accounts that this machine may read, and gives up others. */
  requestAccounts: (accounts: readonly string[]) => Promise<void>;
  /** Returns true if this machine reads the account. Otherwise another one does. */
  isHeld: (account: string) => boolean;
  /** Sends a message to people that an account cannot be reached. */
  report: (account: string, failure: MailFailure) => Promise<void>;
}

/** Starts the runs of mails, one agent at a time. */
export class MailIntake {
  readonly #ports: MailTriggersPorts;
  readonly #passed = new Map<string, PassedMail>();

  constructor(ports: MailTriggersPorts) {
    this.#ports = ports;
  }

  /** Returns the last mail of the agent that started no run although it matches the filters. */
  passedMail(agentId: string): PassedMail | undefined {
    return this.#passed.get(agentId);
  }

  /** Starts a run of the agent if the mail may. Throws MailError if the mail cannot be read. */
  async take(agent: MailAgent, mail: FoundMail, signal: AbortSignal): Promise<IntakeOutcome> {
    const { store, stops, isPaused, findHoldReason, clock } = this.#ports;
    const { head, account } = mail;
    if (!matches(agent.trigger, head) || head.sender === account.address) return "passed";
    const reason = this.#refusal(agent, mail);
    if (reason !== undefined) return this.#pass(agent, mail, reason);
    const isHeld = !stops.admits(agent.id) || await isPaused() ||
      await findHoldReason(agent) !== undefined;
    if (isHeld) return "later";
    const sender = head.sender ?? "";
    const taken: TakenMail = {
      ...{ account: account.name, folder: mail.folder, uidValidity: mail.uidValidity },
      ...{ uid: mail.uid, messageId: head.messageId ?? "", sender },
    };
    if (await store.findTaken(agent.id, taken)) return "passed";
    if (await store.countOpenRuns(agent.id) >= MAX_OPEN_RUNS) return "later";
    const since = clock.now() - HOUR_MS;
    if (await store.countRuns(agent.id, sender, since) >= MAX_RUNS_OF_SENDER) {
      const many = `its sender has started ${MAX_RUNS_OF_SENDER} runs within an hour`;
      return this.#pass(agent, mail, many, "warn");
    }
    const fired = await this.#start(agent, { mail, taken, signal }).catch((error) => {
      if (error instanceof MailError && error.kind === "gone") return "gone" as const;
      throw error;
    });
    if (fired === "gone") return this.#pass(agent, mail, "somebody has removed or moved it");
    if (fired === "started") return "started";
    return fired === "claimed" || fired === "withdrawn" ? "passed" : "later";
  }

  /** Returns the reason why a mail that matches the filters starts no run. */
  #refusal({ trigger }: MailAgent, { head, account }: FoundMail): string | undefined {
    if (findQuestion(head.references, account) !== undefined) return "it answers a question";
    const automatic = trigger.automatic ? undefined : automaticReason(head);
    if (automatic !== undefined) return `${automatic} (trigger.automatic: true takes it)`;
    if (trigger.unproven || isProven(head, account.authServer)) return undefined;
    const why = account.authServer === undefined
      ? `mail.${account.name}.auth_server is not set`
      : `${account.authServer} has not confirmed it`;
    return `its sender is not proven: ${why}`;
  }

  #pass(
    agent: MailAgent,
    { head, uid, folder }: FoundMail,
    reason: string,
    level: "info" | "warn" = "info",
  ): "passed" {
    const { clock, log } = this.#ports;
    const { from, subject } = head;
    this.#passed.set(agent.id, { at: clock.now(), from, subject, reason });
    log.write(level, "A mail starts nothing", { agent: agent.id, folder, uid, from, reason });
    return "passed";
  }

  async #start(
    agent: MailAgent,
    { mail, taken, signal }: { mail: FoundMail; taken: TakenMail; signal: AbortSignal },
  ) {
    const sandbox = await this.#ports.openSandbox(agent);
    const content = await readContent(mail, { sandbox, signal });
    const { start, log } = this.#ports;
    const { outcome } = await start(agent, {
      cause: { type: "mail", ...describeMail("A mail arrived", mail, content) },
      claim: { type: "mail", mail: taken },
      sessionId: await threadOf(content.read, taken),
    });
    if (outcome === "started") {
      log.write("info", "A mail starts a run", { agent: agent.id, uid: mail.uid });
    }
    return outcome;
  }
}

/** Returns true if the head of a mail matches the filters of a trigger. */
function matches({ from, to, subject }: Trigger<"mail">, head: MailHead): boolean {
  const isOne = (address: string, patterns: readonly string[]) =>
    patterns.some((pattern) => matchesPattern(address, pattern));
  return (from.length === 0 || head.sender !== undefined && isOne(head.sender, from)) &&
    (to.length === 0 || head.recipients.some((address) => isOne(address, to))) &&
    (subject === undefined || matchesPattern(head.subject.toLowerCase(), subject));
}

/** Returns the id of the session of a mail's thread. */
async function threadOf(read: ReadMail, { account, uidValidity, uid }: TakenMail): Promise<string> {
  const first = read.references[0] ?? read.messageId ?? `${uidValidity}.${uid}`;
  return `mail-${(await sha256Of(`${account} ${first}`)).slice(0, 32)}`;
}
