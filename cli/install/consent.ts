// Changes the workspace after the user has seen the details and confirmed them, at the terminal or with --yes.
import { suggest } from "../../base/text/suggestion.ts";
import { type CommandContext, misuse } from "../context/context.ts";
import type { Field } from "../output/output.ts";
import { toOneLine } from "../output/sanitize.ts";
import { Interview } from "../prompting/interview.ts";
import { toVisibleLine } from "../../present/visible_text.ts";

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

/**
 * Removes the skill or MCP server (`what`) with this name, unless the user declines. `items` are the installed ones. Throws
 * CommandFailure if none of them has the name.
 */
export async function removeInstalled<Item extends { name: string; agents: readonly string[] }>(
  context: CommandContext,
  { what, name, items, fieldsOf, targetOf, remove, yes }: {
    what: string;
    name: string;
    items: readonly Item[];
    /** Returns the details that are printed before the question. `usedBy` is the row with the agents that use the item. */
    fieldsOf: (item: Item, usedBy: Field) => Field[];
    targetOf: (item: Item) => string;
    remove: (item: Item) => Promise<void>;
    yes: true | undefined;
  },
): Promise<void> {
  const found = items.find((one) => one.name === name);
  if (found === undefined) {
    const nearest = suggest(name, items.map((one) => one.name));
    const hint = nearest === undefined ? "" : `. Did you mean ${toOneLine(nearest)}?`;
    throw misuse(`There is no ${what} "${toOneLine(name)}"${hint}`);
  }
  const { agents } = found;
  await changeWithConsent(context, {
    fields: fieldsOf(found, ["Used by", agents.map(toVisibleLine).join(", ") || "no agent"]),
    question: `Remove the ${what} ${toOneLine(name)}?`,
    done: "removed",
    target: targetOf(found),
    ...(agents.length > 0 && {
      next: `These agents fail until you remove it from their files: ${agents.join(", ")}`,
    }),
    make: () => remove(found),
  }, { yes: yes === true });
}
