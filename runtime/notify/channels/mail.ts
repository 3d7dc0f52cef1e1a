// Creates the channel `mail`, which sends messages from a mail account of config.yaml.
import { untilAborted } from "../../../base/bounded_wait.ts";
import type { MailAccount } from "../../config/mail_schema.ts";
import type { MailChannel } from "../../config/notify_schema.ts";
import { messageIdOf } from "../../mail/question_id.ts";
import { MailError } from "../../mail/mail_error.ts";
import type { Channel, ChannelPorts } from "./channel.ts";
import { DeliveryFailure } from "../../vocabulary/delivery_failure.ts";

/** Creates a channel that sends mails. A later attempt to send a message has the same Message-ID. */
export function createMail(
  { to }: MailChannel,
  account: MailAccount,
  { openMail, clock }: ChannelPorts,
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
