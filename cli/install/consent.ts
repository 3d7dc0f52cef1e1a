// What is about to be added to a workspace: shown, asked of a person or allowed by --yes, and put there.
import type { CommandContext } from "../context.ts";
import { CommandFailure, EXIT, type ExitCode } from "../exit.ts";
import { toOneLine } from "../output/sanitise.ts";
import { Interview } from "../prompting/interview.ts";

/** What was brought, and how it is told. */
export interface Addition {
  /** What a person reads before the question. */
  fields: [string, string][];
  question: string;
  /** Where it goes: all that a quiet command says. */
  target: string;
  /** How an agent names it. */
  use: string;
  add(): Promise<void>;
}

/** Adds it. Throws CommandFailure where the answer is no, and where nobody can be asked. */
export async function addWithConsent(
  context: CommandContext,
  { fields, question, target, use, add }: Addition,
  { yes }: { yes: boolean },
): Promise<ExitCode> {
  const { output } = context;
  if (!output.quiet) output.fields(fields);
  if (!yes) await requireConsent(context, question);
  await add();
  if (output.quiet) output.line(toOneLine(target));
  else {
    output.line(`${output.style.green("✔")} ${toOneLine(target)}`);
    output.line(`\nName it in an agent: ${toOneLine(use)}`);
  }
  return EXIT.ok;
}

async function requireConsent(context: CommandContext, question: string): Promise<void> {
  const interview = new Interview(context, "Read the above, then repeat it with --yes");
  if (await interview.confirm(question, { initial: false })) return;
  throw new CommandFailure(EXIT.failed, "Nothing was added");
}
