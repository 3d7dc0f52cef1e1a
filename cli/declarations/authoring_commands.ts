// Commands that make agents, what they use, and their tests; as the command line declares them.
import { optional, required, rest } from "../command_line/argument.ts";
import { declareCommand } from "../command_line/command.ts";
import { flag, option, repeatable } from "../command_line/option.ts";
import {
  AGENT,
  AGENT_OR_FILE,
  COUNT,
  EXECUTION,
  FILE,
  oneOf,
  TEXT,
} from "../command_line/value_type.ts";

/** `new`. */
export const newCommand = declareCommand({
  name: "new",
  description: "Create an agent: the model writes it, or you answer questions",
  examples: [
    ["inkling new daily", "describe its purpose; the model writes the file"],
    ["inkling new daily --template", "answer questions instead"],
    ['inkling new tidy --every 1d --prompt "Sort inbox/."', "ask no questions"],
    ["inkling new daily --prompt - < task.md", "read its task from a file"],
  ],
  arguments: {
    name: required("The agent's id: letters, digits, spaces, hyphens, underscores", TEXT),
  },
  options: {
    template: flag("-t, --template", "Answer questions instead of having the model write it"),
    description: option("--description <text>", "What the agent is for", TEXT),
    prompt: option(
      "--prompt <text>",
      'The agent\'s task ("-" reads standard input); asks no questions',
      TEXT,
    ),
    provider: option("--provider <name>", "The model's provider (default: from config.yaml)", TEXT),
    model: option("--model <name>", "The model (default: from config.yaml)", TEXT),
    baseUrl: option(
      "--base-url <url>",
      "The provider's address, if its name does not imply one",
      TEXT,
    ),
    every: option(
      "--every <interval>",
      'Run it at this interval (30m, 1d), or in words: "weekday at 8"',
      TEXT,
    ),
    cron: option("--cron <expression>", 'Run it on a cron schedule: "30 8 * * 1-5"', TEXT),
    watch: repeatable("--watch <path>", "Run it when this path changes; may be repeated", FILE),
    after: repeatable("--after <id>", "Run it when this agent ends; may be repeated", AGENT),
    path: repeatable("--path <path>", "A file or folder it may use; may be repeated", FILE),
  },
  conflicts: { template: ["prompt"], every: ["cron", "watch"], cron: ["watch"] },
});

/** `validate`. */
export const validate = declareCommand({
  name: "validate",
  description: "Check agent files",
  examples: [
    ["inkling validate", "check every agent"],
    ["inkling validate daily", "check one"],
    ["inkling validate ./draft.md", "check a file"],
    ["inkling validate --connect", "also start the MCP servers that the agents name"],
  ],
  arguments: { agent: optional("An agent's id, or the path of a .md file", AGENT_OR_FILE) },
  options: {
    connect: flag("--connect", "Start the MCP servers that the agents name, and list their tools"),
    json: flag("--json", "Print JSON"),
  },
});

/** `skill`. */
export const skill = declareCommand({
  name: "skill",
  description: "Add a skill from a folder, a git repository or npm; list or remove skills",
  examples: [
    ["inkling skill add ~/skills/haiku", "from a folder"],
    ["inkling skill add https://example.com/skills.git#v2 --path pdf", "a folder of a repository"],
    ["inkling skill add npm:@acme/skill-pdf@1.2.0", "an npm package; none of its scripts runs"],
    ["inkling skill list", "every skill, its source, and the agents that use it"],
    ["inkling skill remove haiku", "delete its folder"],
  ],
  arguments: {
    action: required("What to do", oneOf(["add", "list", "remove"])),
    source: optional("add: a folder, a git address, or npm:package; remove: the name", FILE),
  },
  options: {
    name: option("--name <name>", "add: its name here (default: the one in its SKILL.md)", TEXT),
    path: option("--path <folder>", "add: its folder in the source (default: the top)", TEXT),
    yes: flag("-y, --yes", "add, remove: do not ask"),
    json: flag("--json", "list: print JSON"),
  },
});

/** `mcp`. */
export const mcp = declareCommand({
  name: "mcp",
  description:
    "Add an MCP server: a package of npm or PyPI, a program or an address; list or remove servers",
  examples: [
    [
      "inkling mcp add files npm:@modelcontextprotocol/server-filesystem ~/notes",
      "install a package at its newest version; the rest are its arguments",
    ],
    ["inkling mcp add time pypi:mcp-server-time", "a package of PyPI, by python3 and its pip"],
    ["inkling mcp add clock /opt/clock/server -- --utc", "a program on this machine"],
    ["inkling mcp add remote https://example.com/mcp --token REMOTE_TOKEN", "an address"],
    ["inkling mcp list", "every server, its source, and the agents that use it"],
    ["inkling mcp remove files", "remove its entry and its package"],
  ],
  arguments: {
    action: required("What to do", oneOf(["add", "list", "remove"])),
    name: optional("add, remove: its name in mcp-servers.json and in agents", TEXT),
    source: optional("add: npm:package, pypi:package, an address, or a program", FILE),
    args: rest("add: arguments of the program", FILE),
  },
  options: {
    env: repeatable("--env <name>", "add: a variable that the program gets; may be repeated", TEXT),
    token: option("--token <name>", "add: the variable with the token for an address", TEXT),
    yes: flag("-y, --yes", "add, remove: do not ask"),
    json: flag("--json", "list: print JSON"),
  },
});

/** `test`. */
export const test = declareCommand({
  name: "test",
  description: "Test agents, offline: the cases in agents/_config/tests",
  examples: [
    ["inkling test", "play every case; no key, no network"],
    ["inkling test daily --watch", "again whenever the agent or a case changes"],
    ["inkling test --record 182 --as greets", "make a case of a finished execution"],
    ["inkling test --junit report.xml", "for a CI that shows JUnit reports"],
    ["inkling test daily --live --repeat 5", "ask the real model, five times"],
  ],
  arguments: { agent: optional("The agent's id (default: all)", AGENT) },
  options: {
    record: option("--record <id>", "Write a case of this finished execution", EXECUTION),
    as: option("--as <name>", "The name of the case that is written", TEXT),
    watch: flag("--watch", "Play again whenever an agent or a case changes"),
    json: flag("--json", "Print JSON"),
    junit: option("--junit <file>", "Write a JUnit report as well", FILE),
    live: flag("--live", "Ask real models instead of the scripts; says the cost first"),
    repeat: option("--repeat <n>", "How often each case is played live (default: 1)", COUNT),
    models: option("--models <a,b>", "Models to try live (default: each agent's own)", TEXT),
    yes: flag("-y, --yes", "Begin a live test without a question"),
  },
  conflicts: {
    record: ["watch", "json", "junit", "live", "repeat", "models"],
    live: ["watch", "junit"],
    watch: ["json", "junit"],
  },
});
