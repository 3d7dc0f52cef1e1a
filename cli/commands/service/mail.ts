// `inkling mail`: signs a person in to a mail account with OAuth, or forgets the sign-in.
import { performs } from "../../command_line/command.ts";
import type { mail } from "../../declarations/people_commands.ts";
import { checkAction } from "../../command_line/actions.ts";
import { signInNameOf } from "../../../runtime/vocabulary/sign_in_names.ts";
import { logIn, logOut } from "../agents/mcp_sign_in.ts";

const ACTIONS = {
  login: { words: ["account"], options: ["noBrowser"] },
  logout: { words: ["account"], options: [] },
} as const;

/** Signs in to an account or out of it, according to the action. */
export const perform = performs<typeof mail>(
  async (context, options, words) => {
    checkAction("mail", ACTIONS, words, options);
    const name = signInNameOf(words.account);
    if (words.action === "login") await logIn(context, name, options);
    else await logOut(context, name);
  },
);
