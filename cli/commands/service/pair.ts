// `inkling pair`: adds a person to a chat app.
import { performs } from "../../command_line/command.ts";
import type { pair } from "../../declarations/people_commands.ts";
import { CHAT_RIGHTS, type ChatRight } from "../../../runtime/vocabulary/rights.ts";
import { EXIT, misuse } from "../../context/exit.ts";
import { pairPerson } from "../../setup/pair_person.ts";

/** Pairs a person with the chat of the command line. */
export const perform = performs<typeof pair>(async (context, options, { chat }) => {
  const isAdded = await pairPerson(context, chat, readRights(options.may));
  return isAdded ? EXIT.ok : EXIT.failed;
});

function readRights(text: string | undefined): ChatRight[] {
  if (text === undefined) return [...CHAT_RIGHTS];
  return text.split(",").map((written) => {
    const right = CHAT_RIGHTS.find((one) => one === written.trim());
    if (right !== undefined) return right;
    const known = CHAT_RIGHTS.join(", ");
    throw misuse(`There is no right "${written}": use ${known}`);
  });
}
