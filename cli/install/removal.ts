// Removes an installed skill or MCP server after the user has seen the agents that use it and has confirmed.
import type { CommandContext } from "../context/context.ts";
import { CommandFailure, EXIT } from "../context/exit.ts";
import type { Field } from "../output/output.ts";
import { toOneLine } from "../output/sanitize.ts";
import { toVisibleLine } from "../../present/visible_text.ts";
import { changeWithConsent } from "./consent.ts";

/** An installed skill or MCP server, and the ids of the agents that use it. */
interface Installed {
  name: string;
  agents: readonly string[];
}

/** The name of the item to remove, the installed items, and functions that describe and remove an item. */
export interface Removal<Item extends Installed> {
  /** The kind of the items in messages: `skill` or `MCP server`. */
  what: string;
  name: string;
  items: readonly Item[];
  /**
   * Returns the details that are printed before the question. `usedBy` is the row that lists the agents that use the item.
   */
  fieldsOf: (item: Item, usedBy: Field) => Field[];
  targetOf: (item: Item) => string;
  remove: (item: Item) => Promise<void>;
  yes: true | undefined;
}

/** Removes the item with this name, unless the user declines. Throws CommandFailure if no installed item has the name. */
export async function removeInstalled<Item extends Installed>(
  context: CommandContext,
  { what, name, items, fieldsOf, targetOf, remove, yes }: Removal<Item>,
): Promise<void> {
  const found = items.find((one) => one.name === name);
  if (found === undefined) {
    const nearest = context.app.suggest(name, items.map((one) => one.name));
    const hint = nearest === undefined ? "" : `. Did you mean ${toOneLine(nearest)}?`;
    throw new CommandFailure(EXIT.usage, `There is no ${what} "${toOneLine(name)}"${hint}`);
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
