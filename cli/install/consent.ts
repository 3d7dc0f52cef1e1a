// Makes a change to the workspace after the user has seen its details and confirmed it, at the terminal or by --yes.
import type { CommandContext } from "../context/context.ts";
import { toOneLine } from "../output/sanitize.ts";
import { Interview } from "../prompting/interview.ts";

/** A change, and the texts about it. */
export interface Change {
  /** The details that are printed before the question. */
  fields: [string, string][];
  question: string;
  /** `added`, `removed`. */
  done: string;
  /** The changed file or folder, the only output with --quiet. */
  target: string;
  /** The next step for the user. */
  next?: string;
  make(): Promise<void>;
}

/** Makes the change unless the user declines. Throws CommandFailure without a terminal and without --yes. */
export async function changeWithConsent(
  context: CommandContext,
  { fields, question, done, target, next, make }: Change,
  { yes }: { yes: boolean },
): Promise<void> {
  const { output } = context;
  if (!output.quiet) output.fields(fields);
  if (!yes) {
    const interview = new Interview(
      context,
      "Check the details above, then repeat the command with --yes",
    );
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
