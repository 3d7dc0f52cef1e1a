// A webhook whose secret is not there: every delivery to it is refused.
import type { Directories } from "../../config/directories.ts";
import type { Environment } from "../../config/environment.ts";
import { diagnose, type DiagnosedFile } from "../../config/files/diagnosed_file.ts";
import type { Diagnostic } from "../../../base/diagnostics.ts";
import { type Agent, secretVariables } from "../agent.ts";

/** What a webhook is held against. */
export interface WebhookSurroundings {
  directories: Pick<Directories, "workspaceEnvFile">;
  environment: Environment;
}

/** A warning for each variable of the agent's webhook that holds nothing. */
export function diagnoseWebhook(
  { trigger }: Agent,
  file: DiagnosedFile,
  { directories, environment }: WebhookSurroundings,
): Diagnostic[] {
  if (trigger.type !== "webhook") return [];
  const { secrets } = trigger;
  const missing = secretVariables(trigger)
    .filter((name) => (environment.get(name)?.trim() ?? "") === "");
  const consequence = secrets.every((name) => missing.includes(name))
    ? "every delivery is refused"
    : "deliveries signed with it are refused";
  return missing.map((name) => {
    const isSecret = secrets.includes(name);
    const result = isSecret ? consequence : "its sender cannot try the address";
    return diagnose(file, ["trigger", isSecret ? "secret" : "verify_token"], {
      severity: "warning",
      message: `The secret of the webhook is missing: ${name} is not set, so ${result}`,
      hint: `add the line ${name}=<the secret> to ${directories.workspaceEnvFile}`,
    });
  });
}
