// Answers questions by replies to the messages of mail channels.
import { lazyModule } from "../../../base/lazy_module.ts";
import type { SqlAudit } from "../../audit/audit.ts";
import { replyChannels } from "../../config/notify_schema.ts";
import type { WorkspaceSettings } from "../../config/settings.ts";
import type { RequestStore } from "../../executions/record/request_store.ts";
import type { Runner } from "../../executions/runs/runner.ts";
import type { FoundMail } from "../../mail/found_mail.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";

const loadAnswers = lazyModule(() => import("../../notify/mail_answers.ts"));

/** The objects that answers by mail need. */
export interface MailAnswerPorts {
  settings: WorkspaceSettings;
  requests: Pick<RequestStore, "readOpenRequest">;
  runner: Runner;
  audit: Pick<SqlAudit, "entry">;
  log: ServiceLog;
}

/** Returns a function that takes a mail as an answer to a channel's message, if it is one. */
export function mailAnswers(
  { settings, requests, runner, audit, log }: MailAnswerPorts,
): (channel: string, mail: FoundMail) => Promise<void> {
  return async (name, mail) => {
    const channel = replyChannels(settings.config).find((one) => one.name === name);
    if (channel === undefined) return;
    const { takeAnswer } = await loadAnswers();
    await takeAnswer(channel, mail, {
      readQuestion: (id, requestId) => requests.readOpenRequest(id, requestId),
      respond: (id, response) =>
        runner.respond(id, { ...response, audit: audit.entry("answer", response.by) }),
      people: () => settings.config.people,
      log,
    });
  };
}
