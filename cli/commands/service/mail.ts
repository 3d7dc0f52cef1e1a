// `inkling mail`: signs a person in to a mail account with OAuth, or forgets the sign-in.
import { type CommandOptions, performs } from "../../command_line/command.ts";
import type { mail } from "../../declarations/people_commands.ts";
import { checkAction } from "../../command_line/actions.ts";
import { signInNameOf } from "../../../runtime/vocabulary/sign_in_names.ts";
import { logIn, logOut } from "../agents/mcp_sign_in.ts";

const ACTIONS = {
  login: { words: ["account"], options: ["noBrowser"] },
  logout: { words: ["account"], options: [] },
} as const;

type MailOptions = CommandOptions<typeof mail>;

/** Signs in to an account or out of it, according to the action. */
export const perform = performs<typeof mail>(
  async (context, options: MailOptions, { action, account }) => {
    checkAction("mail", { ...ACTIONS[action], action }, { words: { account }, options });
    const name = signInNameOf(account);
    if (action === "login") await logIn(context, name, options);
    else await logOut(context, name);
  },
);
