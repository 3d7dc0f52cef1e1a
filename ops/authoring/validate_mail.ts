// Checks the mail trigger and the mail tools of an agent against the accounts of config.yaml.
import type { Diagnostic } from "../../base/diagnostics.ts";
import { suggest } from "../../base/text/suggestion.ts";
import type { Agent } from "../../runtime/agents/agent.ts";
import { diagnose, type DiagnosedFile } from "../../runtime/config/files/diagnosed_file.ts";
import { listWords } from "../../runtime/config/files/shown_value.ts";
import { secretVariableOf } from "../../runtime/config/mail_schema.ts";
import type { ValidationContext } from "./validation_context.ts";

/** Returns errors for unknown accounts, and warnings about mails that start nothing or could go to anybody. */
export function diagnoseMail(
  { trigger, mail, autoApprove }: Agent,
  file: DiagnosedFile,
  surroundings: ValidationContext,
): Diagnostic[] {
  const problems: Diagnostic[] = [];
  if (trigger.type === "mail") {
    const path = ["trigger", "account"];
    problems.push(...diagnoseAccount(trigger.account, path, { file, ...surroundings }));
    const account = surroundings.config.mail.find(({ name }) => name === trigger.account);
    if (account !== undefined && account.authServer === undefined && !trigger.unproven) {
      const setting = `mail.${account.name}.auth_server`;
      problems.push(diagnose(file, path, {
        severity: "warning",
        message: `No mail starts a run: no sender is proven without ${setting}`,
        hint: 'type "inkling doctor", which finds it, or set trigger.unproven: true',
      }));
    }
  }
  if (mail === undefined) return problems;
  const isMap = typeof file.document.value["mail"] === "object";
  const path = isMap ? ["mail", "account"] : ["mail"];
  problems.push(...diagnoseAccount(mail.account, path, { file, ...surroundings }));
  if (mail.to === undefined && (autoApprove === "*" || autoApprove.includes("mail_send"))) {
    problems.push(diagnose(file, ["auto_approve"], {
      severity: "warning",
      message: "The agent may send mails to everybody without asking, also if a mail tells it to",
      hint: "name the recipients: `mail: { account: home, to: [...] }`",
    }));
  }
  return problems;
}

function diagnoseAccount(
  written: string,
  path: string[],
  { file, config, environment, directories }: ValidationContext & { file: DiagnosedFile },
): Diagnostic[] {
  const names = config.mail.map(({ name }) => name);
  const account = config.mail.find(({ name }) => name === written);
  if (account === undefined) {
    const nearest = suggest(written, names);
    const known = names.length === 0 ? "it has none" : `it has ${listWords(names)}`;
    return [diagnose(file, path, {
      message: `config.yaml has no mail account ${JSON.stringify(written)}; ${known}`,
      hint: nearest === undefined ? "see docs/reference/mail.md" : `did you mean "${nearest}"?`,
    })];
  }
  const variable = secretVariableOf(account);
  if (variable === undefined || (environment.get(variable)?.trim() ?? "") !== "") return [];
  const secret = account.oauth === undefined ? "password" : "client's secret";
  return [diagnose(file, path, {
    severity: "warning",
    message: `The mail account ${account.name} cannot be read: ${variable} is not set`,
    hint: `add the line ${variable}=<the ${secret}> to ${directories.workspaceEnvFile}`,
  })];
}
