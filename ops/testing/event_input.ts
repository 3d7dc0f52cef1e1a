// Reads the event of a case: a mail, or a change between two files.
import type { Agent } from "../../runtime/agents/agent.ts";
import type { EventCause } from "../../runtime/vocabulary/run_cause.ts";
import { readChangeInput } from "./change_input.ts";
import { readMailInput } from "./mail_input.ts";
import type { PrivateWorkspace } from "./private_workspace.ts";
import { InputUnusable } from "./refusals.ts";
import type { TestCase } from "./test_case.ts";

/** Returns the cause of a run that a mail or a change starts. Empty for other triggers. Throws InputUnusable. */
export async function readEvent(
  { trigger, file = "", before = "", recorded }: TestCase["input"],
  parts: { agent: Agent; workspace: PrivateWorkspace },
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
