// Writes and reads the Message-IDs of messages to people. That of a question names the question, so that a reply answers it.
import { domainOf } from "../../base/text/mail_address.ts";
import type { MailAccount } from "../config/mail_schema.ts";

/** Returns the Message-ID of a message, which is the same in each attempt to send it. */
export function messageIdOf(
  { id, executionId, requestId }: {
    id: string;
    executionId: number | null;
    requestId: string | null;
  },
  { address }: Pick<MailAccount, "address">,
): string {
  // A reminder has another id than the first message. A long one would be folded, which some mail programs do not read.
  const name = requestId === null ? id : `q.${executionId}.${requestId}.${id.slice(-6)}`;
  return `<${name}@${domainOf(address)}>`;
}

/** Returns the question that a mail answers, by the Message-IDs of its thread. Undefined if it answers none. */
export function findQuestion(
  references: readonly string[],
  { address }: Pick<MailAccount, "address">,
): { executionId: number; requestId: string } | undefined {
  for (const reference of references.toReversed()) {
    const [, id, requestId, domain] =
      /^<q\.(\d{1,15})\.([0-9a-f-]{36})\.\w{6}@(.+)>$/.exec(reference) ??
        [];
    if (requestId === undefined || domain !== domainOf(address)) continue;
    return { executionId: Number(id), requestId };
  }
  return undefined;
}
