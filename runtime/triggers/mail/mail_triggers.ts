// Runs the mail triggers of all agents: one listener for each account that an agent uses.
import type { Agent } from "../../agents/agent.ts";
import type { FoundMail } from "../../mail/found_mail.ts";
import { isTriggeredBy, type ReconcileOptions } from "../firing/fire.ts";
import {
  type IntakeOutcome,
  type MailAgent,
  MailIntake,
  type MailTriggersPorts,
} from "./mail_intake.ts";
import { MailListener, type MailReader } from "./mail_listener.ts";
import type { PassedMail } from "./mail_reading.ts";

/** The prefix of a channel's id among the readers. No agent's id has it. */
const CHANNEL = "channel:";

/** Starts, updates and stops the listeners of all accounts. No mail is read before start(). */
export class MailTriggers implements AsyncDisposable {
  readonly #ports: MailTriggersPorts;
  readonly #intake: MailIntake;
  readonly #listeners = new Map<string, MailListener>();
  readonly #unsubscribe: () => void;
  #agents: readonly MailAgent[] = [];
  #channels: readonly MailReader[] = [];
  #isStarted = false;

  constructor(ports: MailTriggersPorts) {
    this.#ports = ports;
    this.#intake = new MailIntake(ports);
    this.#unsubscribe = ports.events.subscribe((event) => {
      // The end of a run may make room for another one.
      if (event.type !== "execution_completed") return;
      this.#wakeFor(event.agentId);
    });
  }

  /** Returns the failure of the account or folder of an agent, and the last mail that started no run. */
  notes(agentId: string): { inactiveReason?: string; passedMail?: PassedMail } {
    const agent = this.#agents.find(({ id }) => id === agentId);
    const failure = agent && this.#listeners.get(agent.trigger.account)
      ?.failureOf(agent.trigger.folder);
    const passedMail = this.#intake.passedMail(agentId);
    return {
      ...(failure && { inactiveReason: failure.reason }),
      ...(passedMail && { passedMail }),
    };
  }

  /** Updates the listeners from the present agents. An agent that has no mail trigger loses its position. */
  async reconcile(
    agents: readonly Agent[],
    { isUnreadable, isElsewhere = () => false }: ReconcileOptions,
  ): Promise<void> {
    const { store, requestAccounts } = this.#ports;
    const wanted = agents.filter((agent) => isTriggeredBy(agent, "mail"));
    this.#agents = wanted.filter(({ id }) => !isElsewhere(id));
    this.#channels = this.#ports.channels().map(({ name, account }) => ({
      id: CHANNEL + name,
      trigger: { account, folder: "INBOX", sinceMs: 0, then: "keep" },
    }));
    const ids = new Set([...wanted, ...this.#channels].map(({ id }) => id));
    const forgotten = (await store.listAgents()).filter((id) => !ids.has(id) && !isUnreadable(id));
    await store.forget(forgotten);
    await requestAccounts(this.#accounts());
    if (this.#isStarted) await this.#follow();
  }

  /** Starts to read the accounts. */
  start(): void {
    this.#isStarted = true;
    void this.#follow();
  }

  /** Reads all accounts at once. */
  wake(): void {
    for (const listener of this.#listeners.values()) listener.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    this.#isStarted = false;
    await Promise.all([...this.#listeners.values()].map((one) => one[Symbol.asyncDispose]()));
    this.#listeners.clear();
  }

  #accounts(): string[] {
    return [...new Set(this.#readers().map(({ trigger }) => trigger.account))];
  }

  #readers(): readonly MailReader[] {
    return [...this.#agents, ...this.#channels];
  }

  async #take(reader: MailReader, mail: FoundMail, signal: AbortSignal): Promise<IntakeOutcome> {
    const agent = this.#agents.find(({ id }) => id === reader.id);
    if (agent !== undefined) return await this.#intake.take(agent, mail, signal);
    await this.#ports.answer(reader.id.slice(CHANNEL.length), mail);
    return "passed";
  }

  #wakeFor(agentId: string): void {
    const agent = this.#agents.find(({ id }) => id === agentId);
    if (agent !== undefined) this.#listeners.get(agent.trigger.account)?.wake();
  }

  async #follow(): Promise<void> {
    const accounts = this.#accounts();
    for (const [name, listener] of this.#listeners) {
      if (accounts.includes(name)) {
        listener.wake();
        continue;
      }
      this.#listeners.delete(name);
      await listener[Symbol.asyncDispose]();
    }
    for (const name of accounts) {
      if (this.#listeners.has(name) || !this.#isStarted) continue;
      const listener = new MailListener(name, this.#ports, {
        take: (reader, mail, signal) => this.#take(reader, mail, signal),
        list: () => this.#readers().filter(({ trigger }) => trigger.account === name),
      });
      this.#listeners.set(name, listener);
    }
  }
}
