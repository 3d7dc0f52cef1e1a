// Creates the channel `mail`, which sends messages from a mail account of config.yaml.
import type { Context } from "../../config/context.ts";
import { untilAborted } from "../../../base/bounded_wait.ts";
import type { MailAccount } from "../../config/mail_schema.ts";
import type { MailChannel } from "../../config/notify_schema.ts";
import type { MailAccounts } from "../../mail/mail_accounts.ts";
import { messageIdOf } from "../../mail/question_id.ts";
import { MailError } from "../../mail/mail_error.ts";
import { type Channel, DeliveryFailure } from "./channel.ts";

export interface MailPorts extends Pick<Context, "clock"> {
  openMail: () => Promise<MailAccounts>;
}

/** Creates a channel that sends mails. A later attempt to send a message has the same Message-ID. */
export function createMail(
  { to }: MailChannel,
  account: MailAccount,
  { openMail, clock }: MailPorts,
): Channel {
  return {
    async send(message, signal) {
      const { title, text, link, requestId } = message;
      const answer = requestId !== null && account.authServer !== undefined
        ? ["To answer, reply with the answer in the first line: yes or no, or the choice."]
        : [];
      const mail = {
        messageId: messageIdOf(message, account),
        ...{ to, subject: title, date: new Date(clock.now()) },
        text: [text, ...(link === null ? [] : [link]), ...answer].join("\n\n"),
      };
      try {
        const accounts = await openMail();
        const written = await accounts.write(account.name, mail);
        await untilAborted(accounts.send(account.name, written), signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof MailError)) throw error;
        throw new DeliveryFailure(error.message, { isFinal: error.isPartial, cause: error });
      }
      return `${account.smtp.host} accepted the mail`;
    },
  };
}
