// A change to the workspace that a person agrees to: shown first, then confirmed at the terminal or by --yes.
import type { CommandContext } from "../context.ts";
import { toOneLine } from "../output/sanitise.ts";
import { Interview } from "../prompting/interview.ts";

/** A change, and what is printed of it. */
export interface Change {
  /** What a person reads before the question. */
  fields: [string, string][];
  question: string;
  /** `added`, `removed`. */
  done: string;
  /** The changed file or folder: everything that a quiet command prints. */
  target: string;
  /** What to do next. */
  next?: string;
  make(): Promise<void>;
}

/** Makes the change unless the person declines, which is no failure. Throws CommandFailure where nobody can be asked. */
export async function changeWithConsent(
  context: CommandContext,
  { fields, question, done, target, next, make }: Change,
  { yes }: { yes: boolean },
): Promise<void> {
  const { output } = context;
  if (!output.quiet) output.fields(fields);
  if (!yes) {
    const interview = new Interview(context, "Check the above, then repeat the command with --yes");
    if (!await interview.confirm(question, { initial: false })) {
      return output.note(`Nothing was ${done}`);
    }
  }
  await make();
  if (output.quiet) output.line(toOneLine(target));
  else {
    output.line(`${output.style.green("✔")} ${toOneLine(target)} ${done}`);
    if (next !== undefined) output.line(`\n${toOneLine(next)}`);
  }
}
