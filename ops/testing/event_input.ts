// Reads the event of a case from its files: a mail, or a change between two files.
import { basename } from "../../base/plain_path.ts";
import type { Agent, Trigger } from "../../runtime/agents/agent.ts";
import { ToolFailure } from "../../runtime/tools/failures/tool_failure.ts";
import type { LastCheck } from "../../runtime/triggers/change/compare_content.ts";
import type { EventCause } from "../../runtime/vocabulary/run_cause.ts";
import { openAgentSandbox } from "../../runtime/wiring/agent_sandbox.ts";
import type { PrivateWorkspace } from "./private_workspace.ts";
import { InputUnusable } from "./refusals.ts";
import type { TestCase } from "./test_case.ts";

interface InputParts {
  agent: Agent;
  workspace: PrivateWorkspace;
}

/** Returns the cause of a run that a mail or a change starts. Empty for other triggers. Throws InputUnusable. */
export async function readEvent(
  { trigger, file = "", before = "", recorded }: TestCase["input"],
  parts: InputParts,
): Promise<{ cause?: EventCause }> {
  if (trigger !== "mail" && trigger !== "change") return {};
  if (recorded !== undefined) return { cause: { type: trigger, ...recorded } };
  try {
    const cause = trigger === "mail"
      ? await readMailInput(file, parts)
      : await readChangeInput({ before, file }, parts);
    return { cause };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new InputUnusable("A file of input is not in files", { cause: error });
  }
}

/**
 * Returns the cause of a run that a mail starts, and writes the mail's attachments. The server that the mail names in its
 * first `Authentication-Results` counts as the account's own.
 */
async function readMailInput(
  file: string,
  { agent, workspace }: InputParts,
): Promise<EventCause> {
  const { trigger } = agent;
  const [{ readMail }, { authServerOf }, { toMarkdown }, { saveFiles }, { describeMail }] =
    await Promise.all([
      import("../../runtime/mail/read_mail.ts"),
      import("../../runtime/mail/sender_proof.ts"),
      import("../../runtime/tools/pages/readable_text.ts"),
      import("../../runtime/tools/mail/mail_files.ts"),
      import("../../runtime/tools/mail/mail_content.ts"),
    ]);
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

/** Returns the cause of the first run that the change from `before` to `file` starts. Throws InputUnusable if it starts none. */
async function readChangeInput(
  { before, file }: { before: string; file: string },
  { agent, workspace }: InputParts,
): Promise<EventCause> {
  const [{ toContent }, { compareContent }] = await Promise.all([
    import("../../runtime/triggers/change/content.ts"),
    import("../../runtime/triggers/change/compare_content.ts"),
  ]);
  const trigger: Trigger<"change"> = agent.trigger.type === "change"
    ? agent.trigger
    : { type: "change", url: basename(file), every: "1h", headers: {}, ignore: [], maxRuns: 1 };
  const { url = "", select, ignore } = trigger;
  const base = { source: "" };
  const compare = async (path: string, last?: LastCheck) => {
    const source = await Deno.readTextFile(workspace.pathOf(path));
    const type = typeOf(path);
    const content = await toContent(source, { type, url, select, ignore });
    return await compareContent(trigger, content, { last, base });
  };
  try {
    const { after } = await compare(before);
    const { found: [first], isFirst } = await compare(file, after);
    if (first !== undefined && !isFirst) return first.event;
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    throw new InputUnusable(`The check of the trigger fails: ${error.message}`, { cause: error });
  }
  throw new InputUnusable(
    `The trigger starts no run: with its select and ignore, ${file} does not differ from ${before}`,
  );
}

/** Returns the content type of a file by its extension. Feeds are recognized by their content. */
function typeOf(path: string): string {
  return /\.html?$/i.test(path) ? "text/html" : /\.json$/i.test(path) ? "application/json" : "";
}
