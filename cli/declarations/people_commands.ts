// Declares the commands about keys and people.
import { optional, required } from "../command_line/argument.ts";
import { declareCommand } from "../command_line/command.ts";
import { flag, JSON_FLAG, NO_BROWSER_FLAG, option } from "../command_line/option.ts";
import { oneOf, TEXT } from "../command_line/value_type.ts";
import { ROLE_NAMES } from "../../runtime/vocabulary/rights.ts";

/** The declaration of `inkling key`. */
export const key = declareCommand({
  name: "key",
  description: "Add, list, revoke or renew the named keys of people and programs",
  examples: [
    ["inkling key add anna --role operator --expires 90d", "prints the key, once"],
    ["inkling key add phone --role viewer --agents daily,inbox", "for two agents only"],
    ["inkling key revoke anna", "the key ends at once, with its open streams"],
  ],
  arguments: {
    action: required("The action", oneOf(["add", "list", "revoke", "renew"])),
    name: optional("add, revoke: the name of the key", TEXT),
  },
  options: {
    role: option("--role <role>", "add: viewer, operator, author or admin", oneOf(ROLE_NAMES)),
    agents: option("--agents <ids>", "add: the only agents of a viewer or operator"),
    expires: option("--expires <duration>", "add: the life of the key, such as 90d"),
    json: flag("--json", "list: print JSON"),
  },
});

/** The declaration of `inkling person`. */
export const person = declareCommand({
  name: "person",
  description: "List the people of config.yaml, or end all ways in of a person",
  examples: [
    ["inkling person list", "the people with their keys, chats, sign-ins and mail addresses"],
    ["inkling person remove ada", "revoke the keys, end the sessions, and refuse the sign-in"],
  ],
  arguments: {
    action: required("The action", oneOf(["list", "remove"])),
    name: optional("remove: the name of the person", TEXT),
  },
  options: { json: flag("--json", "list: print JSON") },
});

/** The declaration of `inkling whoami`. */
export const whoami = declareCommand({
  name: "whoami",
  description: "Show the name, the role and the rights that you have at the service",
  examples: [["inkling --url https://inkling.example --key-env MY_KEY whoami", "elsewhere"]],
  options: JSON_FLAG,
});

/** The declaration of `inkling mail`. */
export const mail = declareCommand({
  name: "mail",
  description: "Sign in to a mail account with OAuth, or out of it",
  examples: [
    ["inkling mail login home", "sign in to the account home of config.yaml in the browser"],
    ["inkling mail login home --no-browser", "with a browser on another machine"],
    ["inkling mail logout home", "revoke and forget the sign-in"],
  ],
  arguments: {
    action: required("The action", oneOf(["login", "logout"])),
    account: required("The name of the account in config.yaml", TEXT),
  },
  options: NO_BROWSER_FLAG,
});

/** The declaration of `inkling pair`. */
export const pair = declareCommand({
  name: "pair",
  description: "Add a person to a chat app: show a code, and ask about who sends it to the bot",
  examples: [
    ["inkling pair phone", "add a person with all rights to the chat phone of config.yaml"],
    ["inkling pair phone --may chat", "add a person who may only talk with the chat's agent"],
  ],
  arguments: { chat: required("The name of the chat in config.yaml", TEXT) },
  options: {
    may: option("--may <rights>", "The rights, separated by commas (default: all)"),
  },
});
