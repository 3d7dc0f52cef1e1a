// Changes the workspace after the user has seen the details and confirmed them, at the terminal or with --yes.
import type { CommandContext } from "../context/context.ts";
import type { Field } from "../output/output.ts";
import { toOneLine } from "../output/sanitize.ts";
import { Interview } from "../prompting/interview.ts";

/** A change of the workspace, and the texts that describe it to the user. */
export interface Change {
  /** The details of the change, printed before the question. */
  fields: readonly Field[];
  question: string;
  /** The verb of the messages about the change: `added` or `removed`. */
  done: string;
  /** The path of the changed file or folder. With --quiet nothing else is printed. */
  target: string;
  /** A sentence about the user's next step. */
  next?: string;
  make(): Promise<void>;
}

/**
 * Makes the change, unless the user declines. Returns true if it was made. Throws CommandFailure without --yes if there is no
 * terminal.
 */
export async function changeWithConsent(
  context: CommandContext,
  { fields, question, done, target, next, make }: Change,
  { yes }: { yes: boolean },
): Promise<boolean> {
  const { output } = context;
  if (!output.quiet) output.fields(fields);
  if (!yes) {
    const interview = new Interview(
      context,
      "Check the details above, then repeat the command with --yes",
    );
    if (!await interview.confirm(question, { initial: false })) {
      output.note(`Nothing was ${done}`);
      return false;
    }
  }
  await make();
  if (output.quiet) output.line(toOneLine(target));
  else {
    output.line(`${output.style.green("✔")} ${toOneLine(target)} ${done}`);
    if (next !== undefined) output.line(`\n${toOneLine(next)}`);
  }
  return true;
}
