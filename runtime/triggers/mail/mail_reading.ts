// The interface of the mail triggers of a service. The page imports it, which has no types of the mail library.
import type { Agent } from "../../agents/agent.ts";
import type { ReconcileOptions } from "../firing/fire.ts";

/** A mail that started no run although it matches the trigger's filters. */
export interface PassedMail {
  at: number;
  from: string;
  subject: string;
  reason: string;
}

/** The failure of an account or folder: its beginning in milliseconds since the epoch, and the reason with the remedy. */
export interface MailFailure {
  since: number;
  reason: string;
}

/** The mail triggers of a service. */
export interface MailReading extends AsyncDisposable {
  /** Returns the failure of the account or folder of an agent, and the last mail that started no run. */
  notes(agentId: string): { failure?: MailFailure; passed?: PassedMail };
  /** Updates the listeners from the present agents. An agent that has no mail trigger loses its position. */
  reconcile(agents: readonly Agent[], options: ReconcileOptions): Promise<void>;
  /** Starts to read the accounts. */
  start(): void;
  /** Reads all accounts at once. */
  wake(): void;
}
