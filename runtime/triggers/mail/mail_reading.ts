// The results of mail triggers that people see. The page imports these types, and has no types of the mail library.

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
