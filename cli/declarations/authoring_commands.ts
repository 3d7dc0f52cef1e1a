// Declares the commands that create, check and test agents, and that install skills and MCP servers.
import { optional, required, rest } from "../command_line/argument.ts";
import { declareCommand } from "../command_line/command.ts";
import { flag, NO_BROWSER_FLAG, option, repeatable } from "../command_line/option.ts";
import {
  AGENT,
  AGENT_OR_FILE,
  COUNT,
  EXECUTION,
  FILE,
  oneOf,
  TEXT,
} from "../command_line/value_type.ts";
import { GALLERY_NAMES } from "../../present/gallery_names.ts";

/** The declaration of `inkling schema`. */
export const schema = declareCommand({
  name: "schema",
  description: "Print the JSON Schema of a file that you write, for your editor",
  examples: [
    ["inkling schema agent > agent.schema.json", "the front matter of agent files"],
    ["inkling schema config", "config.yaml, for which setup has already stored it"],
    ["inkling schema mcp", "mcp-servers.json"],
  ],
  arguments: { file: required("The file", oneOf(["agent", "config", "mcp"])) },
});

/** The declaration of `inkling new`. */
export const newCommand = declareCommand({
  name: "new",
  description: "Create an agent: describe it, copy one of the gallery, or answer questions",
  examples: [
    ["inkling new daily", "describe the agent; the model writes its file"],
    ["inkling new news --from rss-digest", "copy an agent of the gallery, with its test cases"],
    ["inkling new daily --template", "answer questions instead"],
    ['inkling new tidy --every 1d --prompt "Sort inbox/."', "without questions"],
    ["inkling new daily --prompt - < task.md", "read the task from a file"],
  ],
  arguments: {
    name: optional("The agent's id: letters, digits, spaces, hyphens, underscores", TEXT),
  },
  options: {
    from: option("--from <name>", "Copy this agent of the gallery", oneOf(GALLERY_NAMES)),
    yes: flag(
      "-y, --yes",
      "--from: do not ask when it runs; it does not run by itself without --every or --cron",
    ),
    template: flag(
      "-t, --template",
      "Answer questions instead of letting the model write the file",
    ),
    description: option("--description <text>", "The agent's purpose, shown in lists"),
    prompt: option(
      "--prompt <text>",
      'The agent\'s task, without questions ("-" reads it from standard input)',
    ),
    provider: option("--provider <name>", "The model's provider (default: from config.yaml)"),
    model: option("--model <name>", "The model, or provider/name (default: from config.yaml)"),
    baseUrl: option(
      "--base-url <url>",
      "The provider's address, for a provider that Inkling does not know by name",
    ),
    every: option(
      "--every <interval>",
      'Run it at this interval (30m, 1d) or at this time ("weekday at 8")',
    ),
    cron: option("--cron <expression>", 'Run it on a cron schedule: "30 8 * * 1-5"'),
    watch: repeatable("--watch <path>", "Run it when this path changes; may be repeated", FILE),
    after: repeatable("--after <id>", "Run it when this agent ends; may be repeated", AGENT),
    path: repeatable("--path <path>", "A file or folder it may use; may be repeated", FILE),
  },
  conflicts: {
    from: ["template", "prompt", "watch", "after", "path"],
    template: ["prompt"],
    every: ["cron", "watch"],
    cron: ["watch"],
  },
});

/** The declaration of `inkling validate`. */
export const validate = declareCommand({
  name: "validate",
  description: "Check agent files",
  examples: [
    ["inkling validate", "check every agent"],
    ["inkling validate daily", "check one agent"],
    ["inkling validate ./draft.md", "check a file"],
    ["inkling validate --connect", "start the agents' MCP servers, too"],
  ],
  arguments: { agent: optional("An agent's id, or the path of a .md file", AGENT_OR_FILE) },
  options: {
    connect: flag("--connect", "Start the agents' MCP servers and list their tools"),
    json: flag("--json", "Print JSON"),
  },
});

/** The declaration of `inkling import`. */
export const importCommand = declareCommand({
  name: "import",
  description: "Import agents, commands and skills of other tools; shows everything and asks first",
  examples: [
    ["inkling import ~/projects/shop", "every agent, command and skill in a repository"],
    ["inkling import .claude/agents/reviewer.md", "one file"],
    ["crontab -l | inkling import -", "the lines of a crontab that run an agent"],
    ["inkling import https://example.com/team/agents.git", "a repository, by https or ssh"],
    [
      "inkling import ~/projects/shop --yes --allow paths",
      "without questions; give the agents the repository, and nothing else",
    ],
  ],
  arguments: {
    source: required("A file, a folder, the address of a git repository, or - for a text", FILE),
  },
  options: {
    only: repeatable("--only <id>", "Import only this agent; may be repeated", TEXT),
    model: option("--model <model>", "The model of all imported agents: provider/name"),
    team: option("--team <id>", "Write another agent, which calls the imported ones"),
    allow: repeatable(
      "--allow <what>",
      "Give every imported agent what it wants of this; may be repeated",
      oneOf(["shell", "auto_approve", "paths", "servers", "scripts"]),
    ),
    existing: option(
      "--existing <what>",
      "If an id exists: keep its agent, rename the new one, or replace it (default: ask, or keep)",
      oneOf(["keep", "rename", "replace"]),
    ),
    spread: flag("--spread", "Spread agents that start in the same minute over the hour"),
    yes: flag("-y, --yes", "Write without a question; gives nothing that --allow does not name"),
  },
});

/** The declaration of `inkling enable`. */
export const enable = declareCommand({
  name: "enable",
  description: "Let the trigger of an agent fire: removes enabled: false from its file",
  examples: [["inkling enable daily", "its trigger fires from now on"]],
  arguments: { agent: required("The agent's id", AGENT) },
});

/** The declaration of `inkling skill`. */
export const skill = declareCommand({
  name: "skill",
  description: "Add a skill from a folder, a git repository or npm; list or remove skills",
  examples: [
    ["inkling skill add ~/skills/haiku", "from a folder"],
    ["inkling skill add https://example.com/skills.git#v2 --path pdf", "a folder of a repository"],
    [
      "inkling skill add npm:@acme/skill-pdf@1.2.0",
      "from an npm package, without running its install scripts",
    ],
    ["inkling skill list", "every skill with its source and the agents that use it"],
    ["inkling skill remove haiku", "delete the skill's folder"],
  ],
  arguments: {
    action: required("The action", oneOf(["add", "list", "remove"])),
    source: optional(
      "add: a folder, a git address, or npm:package; remove: the skill's name",
      FILE,
    ),
  },
  options: {
    name: option("--name <name>", "add: the skill's name (default: the one in its SKILL.md)"),
    path: option(
      "--path <folder>",
      "add: the skill's folder in the source (default: the top folder)",
    ),
    yes: flag("-y, --yes", "add, remove: do not ask for confirmation"),
    json: flag("--json", "list: print JSON"),
  },
});

/** The declaration of `inkling mcp`. */
export const mcp = declareCommand({
  name: "mcp",
  description:
    "Add an MCP server from npm or PyPI, a program or an address; list, remove or sign in to servers; be one",
  examples: [
    [
      "inkling mcp add files npm:@modelcontextprotocol/server-filesystem ~/notes",
      "install the newest version of a package; ~/notes is the server's argument",
    ],
    ["inkling mcp add time pypi:mcp-server-time", "a PyPI package (needs python3 and pip)"],
    ['inkling mcp add "npx -y @playwright/mcp@latest"', "a command line as vendors print it"],
    ["inkling mcp add - < snippet.json", "the JSON snippet of any client"],
    ["inkling mcp add clock /opt/clock/server -- --utc", "a program on this machine"],
    ["inkling mcp add remote https://example.com/mcp --token REMOTE_TOKEN", "an address"],
    ["inkling mcp list", "every server with its source and the agents that use it"],
    ["inkling mcp remove files", "remove the server's entry and its package"],
    ["inkling mcp login remote", "sign in to a server in the browser"],
    ["inkling mcp logout remote", "revoke and forget the sign-in"],
    ["inkling mcp serve", "offer the agents with expose: true to an editor or another client"],
  ],
  arguments: {
    action: required("The action", oneOf(["add", "list", "remove", "login", "logout", "serve"])),
    name: optional(
      "the server's name in mcp-servers.json and in agent files; " +
        'add: also a command line, a JSON snippet or an address ("-": standard input)',
      TEXT,
    ),
    source: optional("add: npm:package, pypi:package, an address, or a program", FILE),
    args: rest("add: arguments of the program", FILE),
  },
  options: {
    env: repeatable(
      "--env <name>",
      "add: an environment variable to pass to the program; may be repeated",
      TEXT,
    ),
    token: option(
      "--token <name>",
      "add: the environment variable that contains the token for the address",
    ),
    ...NO_BROWSER_FLAG,
    yes: flag("-y, --yes", "add, remove: do not ask for confirmation"),
    json: flag("--json", "list: print JSON"),
  },
});

/** The declaration of `inkling test`. */
export const test = declareCommand({
  name: "test",
  description: "Test agents with the cases in agents/_config/tests, without network or keys",
  examples: [
    ["inkling test", "run every case"],
    ["inkling test daily --watch", "run an agent's cases again after each change"],
    ["inkling test --record 182 --as greets", "create a case from a finished execution"],
    ["inkling test --junit report.xml", "write a JUnit report for CI"],
    ["inkling test daily --live --repeat 5", "run each case five times with the real model"],
  ],
  arguments: { agent: optional("The agent's id (default: all)", AGENT) },
  options: {
    record: option("--record <id>", "Create a case from this finished execution", EXECUTION),
    as: option("--as <name>", "With --record: the name of the new case"),
    watch: flag("--watch", "Run the cases again when an agent or a case changes"),
    json: flag("--json", "Print JSON"),
    junit: option("--junit <file>", "Write a JUnit report, too", FILE),
    live: flag(
      "--live",
      "Use the real models instead of the recorded replies; shows the cost first",
    ),
    repeat: option("--repeat <n>", "With --live: runs of each case (default: 1)", COUNT),
    models: option("--models <a,b>", "With --live: the models to use (default: each agent's own)"),
    yes: flag("-y, --yes", "With --live: do not ask for confirmation"),
  },
  conflicts: {
    record: ["watch", "json", "junit", "live", "repeat", "models"],
    live: ["watch", "junit"],
    watch: ["json", "junit"],
  },
});
