// Checks the mail trigger of an agent against the accounts of config.yaml.
import type { Diagnostic } from "../../base/diagnostics.ts";
import { suggest } from "../../base/text/suggestion.ts";
import type { Agent } from "../../runtime/agents/agent.ts";
import type { Config } from "../../runtime/config/config.ts";
import { diagnose, type DiagnosedFile } from "../../runtime/config/files/diagnosed_file.ts";
import { listWords } from "../../runtime/config/files/shown_value.ts";
import type { Directories } from "../../runtime/config/directories.ts";
import type { Environment } from "../../runtime/config/files/environment.ts";

/** Returns an error for an unknown account, and warnings if no mail can start a run. */
export function diagnoseMail(
  { trigger }: Agent,
  file: DiagnosedFile,
  { config, environment, directories }: {
    config: Pick<Config, "mail">;
    environment: Pick<Environment, "get">;
    directories: Pick<Directories, "workspaceEnvFile">;
  },
): Diagnostic[] {
  if (trigger.type !== "mail") return [];
  const names = config.mail.map(({ name }) => name);
  const account = config.mail.find(({ name }) => name === trigger.account);
  if (account === undefined) {
    const nearest = suggest(trigger.account, names);
    const known = names.length === 0 ? "it has none" : `it has ${listWords(names)}`;
    return [diagnose(file, ["trigger", "account"], {
      message: `config.yaml has no mail account ${JSON.stringify(trigger.account)}; ${known}`,
      hint: nearest === undefined ? "see docs/reference/mail.md" : `did you mean "${nearest}"?`,
    })];
  }
  const { passwordEnv, authServer, name } = account;
  const warn = (message: string, hint: string) =>
    diagnose(file, ["trigger", "account"], { severity: "warning", message, hint });
  return [
    ...((environment.get(passwordEnv)?.trim() ?? "") === ""
      ? [warn(
        `The mail account ${name} cannot be read: ${passwordEnv} is not set`,
        `add the line ${passwordEnv}=<the password> to ${directories.workspaceEnvFile}`,
      )]
      : []),
    ...(authServer === undefined && !trigger.unproven
      ? [warn(
        `No mail starts a run: no sender is proven without mail.${name}.auth_server`,
        'type "inkling doctor", which finds it, or set trigger.unproven: true',
      )]
      : []),
  ];
}
