// A webhook whose secret is not there: every delivery to it is refused.
import type { Directories } from "../../config/directories.ts";
import type { Environment } from "../../config/environment.ts";
import { diagnose, type DiagnosedFile } from "../../config/files/diagnosed_file.ts";
import type { Diagnostic } from "../../../base/diagnostics.ts";
import type { Agent } from "../agent.ts";

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
  const missing = trigger.secrets.filter((name) => (environment.get(name)?.trim() ?? "") === "");
  const consequence = missing.length === trigger.secrets.length
    ? "every delivery is refused"
    : "deliveries signed with it are refused";
  return missing.map((name) =>
    diagnose(file, ["trigger", "secret"], {
      severity: "warning",
      message: `The secret of the webhook is missing: ${name} is not set, so ${consequence}`,
      hint: `add the line ${name}=<the secret> to ${directories.workspaceEnvFile}`,
    })
  );
}
