// Converts a mail in a file to the cause of a test's run, as the mail trigger would.
import { lazyModule } from "../../base/lazy_module.ts";
import type { Agent } from "../../runtime/agents/agent.ts";
import type { EventCause } from "../../runtime/vocabulary/run_cause.ts";
import { openAgentSandbox } from "../../runtime/wiring/files/agent_sandbox.ts";
import type { PrivateWorkspace } from "./private_workspace.ts";

const loadReader = lazyModule(() => import("../../runtime/mail/read_mail.ts"));
const loadProof = lazyModule(() => import("../../runtime/mail/sender_proof.ts"));
const loadPages = lazyModule(() => import("../../runtime/tools/pages/readable_text.ts"));
const loadFiles = lazyModule(() => import("../../runtime/tools/mail/mail_files.ts"));
const loadContent = lazyModule(() => import("../../runtime/tools/mail/mail_content.ts"));

/**
 * Returns the cause of a run that a mail starts, and writes the mail's attachments. The server that the mail names in its
 * first `Authentication-Results` counts as the account's own.
 */
export async function readMailInput(
  file: string,
  { agent, workspace }: { agent: Agent; workspace: PrivateWorkspace },
): Promise<EventCause> {
  const { trigger } = agent;
  const [{ readMail }, { authServerOf }, { toMarkdown }, { saveFiles }, { describeMail }] =
    await Promise.all([loadReader(), loadProof(), loadPages(), loadFiles(), loadContent()]);
  const read = await readMail(await Deno.readFile(workspace.pathOf(file)), { toMarkdown });
  const { account: name, folder } = trigger.type === "mail"
    ? trigger
    : { account: "test", folder: "INBOX" };
  const authServer = authServerOf(read.headers);
  const arrivedAt = read.date ?? 0;
  const day = new Date(arrivedAt).toISOString();
  const files = await saveFiles(read.files, {
    sandbox: openAgentSandbox(agent, { lineage: [] }, { settings: workspace.settings }),
    folder: `${day.slice(0, 10)}-${name}-1`,
    signal: new AbortController().signal,
  });
  const place = { account: { name, authServer }, folder, arrivedAt };
  return { type: "mail", ...describeMail("A mail arrived", place, { read, files }) };
}
