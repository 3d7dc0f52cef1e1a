// Takes replies to the messages of mail channels as answers to questions.
import type { SqlAudit } from "../audit/audit.ts";
import type { Context } from "../config/context.ts";
import { RuntimeError } from "../../base/errors.ts";
import { readAnswer } from "../../base/text/answer_words.ts";
import { replyChannels } from "../config/notify_schema.ts";
import type { RequestStore } from "../executions/record/request_store.ts";
import type { Runner } from "../executions/runs/runner.ts";
import type { FoundMail } from "../mail/found_mail.ts";
import { MailError } from "../mail/mail_error.ts";
import { findQuestion } from "../mail/question_id.ts";
import { MAX_MAIL_BYTES, readMail } from "../mail/read_mail.ts";
import { automaticReason, isProven } from "../mail/sender_proof.ts";
import { isShownWhole } from "./drafts.ts";
import { toMarkdown } from "../tools/pages/readable_text.ts";
import { toMailCaller } from "../vocabulary/persons.ts";
import { SIGN_IN } from "../vocabulary/tool_vocabulary.ts";

/** The objects that answers by mail need. */
export interface AnswerPorts extends Pick<Context, "settings" | "log"> {
  requests: Pick<RequestStore, "readOpenRequest">;
  runner: Pick<Runner, "respond">;
  audit: Pick<SqlAudit, "entry">;
}

/**
 * Answers the question of a channel that a mail replies to. Logs the reason if the mail is no answer. Never sends a mail, so
 * that two programs do not answer each other. Throws MailError.
 */
export async function takeAnswer(
  channel: string,
  mail: FoundMail,
  ports: AnswerPorts,
): Promise<void> {
  const { head, account } = mail;
  const { to } = replyChannels(ports.settings.config).find(({ name }) => name === channel) ?? {};
  const question = findQuestion(head.references, account);
  if (to === undefined || question === undefined) return;
  const reason = await answer(mail, { to, ...question }, ports).catch((error) => {
    if (error instanceof RuntimeError && !isTemporary(error)) return error.message;
    throw error;
  });
  const fields = { execution: question.executionId, from: head.from };
  if (reason === undefined) ports.log.write("info", "A mail has answered a question", fields);
  else ports.log.write("warn", "A reply by mail is no answer", { ...fields, reason });
}

/** Returns the reason why a mail is no answer. Undefined if it was taken. */
async function answer(
  mail: FoundMail,
  { to, executionId, requestId }: { to: readonly string[]; executionId: number; requestId: string },
  { settings, requests, runner, audit }: AnswerPorts,
): Promise<string | undefined> {
  const { head, account, bytes } = mail;
  const { sender } = head;
  const automatic = automaticReason(head);
  if (automatic !== undefined) return automatic;
  if (sender === undefined || !to.includes(sender)) return "the channel does not name its sender";
  if (!isProven(head, account.authServer)) return "its sender is not proven";
  const by = toMailCaller(settings.config.people, sender);
  if (by === undefined) return "its sender may not answer";
  const request = await requests.readOpenRequest(executionId, requestId);
  if (request === undefined) return "the question is no longer open";
  if (request.toolName === SIGN_IN) return "a sign-in needs the link";
  if (!isShownWhole(request)) return "the mail did not show the whole call";
  if (bytes > MAX_MAIL_BYTES) return "it is too big";
  const { text } = await readMail(await mail.readSource(), { toMarkdown });
  const words = request.kind === "input" ? text : text.trim().split("\n")[0] ?? "";
  const given = words.trim() === "" ? undefined : readAnswer(request, words);
  if (given === undefined) return "its first line is no answer to this question";
  const entry = audit.entry("answer", by);
  await runner.respond(executionId, { requestId, answer: given, by, audit: entry });
  return undefined;
}

/** Returns true if the same mail may be an answer later: the account or the database cannot be reached. */
function isTemporary(error: RuntimeError): boolean {
  return error instanceof MailError ? error.kind !== "gone" : error.code === "storage";
}
