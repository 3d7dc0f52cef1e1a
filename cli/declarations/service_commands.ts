// Declares the commands about the installation and the service.
// One file contains many declarations, because each imported file slows down the start of every command.
import { required } from "../command_line/argument.ts";
import { declareCommand } from "../command_line/command.ts";
import { flag, flagOrOption, JSON_FLAG, option } from "../command_line/option.ts";
import { oneOf, PORT, SECONDS, TEXT } from "../command_line/value_type.ts";
import { UNIT_KINDS } from "../service/units/unit.ts";

/** The declaration of `inkling setup`. */
export const setup = declareCommand({
  name: "setup",
  description: "Set up the workspace, the model and its key; existing settings are kept",
  examples: [
    ["inkling setup", "answer a few questions; Enter keeps the current value or skips a step"],
    ["inkling setup --yes --provider ollama --model qwen3", "without questions"],
    ["inkling setup -y --provider openai --api-key-stdin < key.txt", "with a key"],
  ],
  options: {
    yes: flag("-y, --yes", "Ask no questions; use the options and the existing settings"),
    provider: option("--provider <name>", "The model provider: openai, anthropic, ollama, ..."),
    model: option("--model <name>", "The default model, or provider/name"),
    baseUrl: option(
      "--base-url <url>",
      "The provider's address, for any OpenAI-compatible endpoint",
    ),
    apiKeyStdin: flag(
      "--api-key-stdin",
      "With --yes: read the key from standard input (other users can see arguments)",
    ),
    test: flag("--test", "With --yes: test the model first, and write nothing if the test fails"),
    timeout: option("--timeout <seconds>", "The longest wait for one model reply"),
    maxToolCalls: option("--max-tool-calls <count>", 'Maximum tool calls per run, or "none"'),
    maxExecutionTokens: option(
      "--max-execution-tokens <count>",
      'Maximum tokens per run, or "none"',
    ),
    maxCostUsd: option("--max-cost-usd <dollars>", 'Maximum cost per run, or "none"'),
    maxTokens: option("--max-tokens <count>", "Maximum tokens per reply"),
    temperature: option("--temperature <number>", "Sampling temperature, from 0 to 1"),
  },
});

/** The declaration of `inkling info`. */
export const info = declareCommand({
  name: "info",
  description: "Show the paths of the installation and which providers have a key",
  examples: [
    ["inkling info", "the configuration, the workspace, the state folder and the log"],
    ["inkling info --json", "the same as JSON"],
  ],
  options: JSON_FLAG,
});

/** The declaration of `inkling notify`. */
export const notify = declareCommand({
  name: "notify",
  description: "Show the notification channels, or send a test message and show the reply",
  examples: [
    ["inkling notify", "the channels in config.yaml, and what each still needs"],
    ["inkling notify --test", "send a test message through every channel"],
    ["inkling notify --test phone", "send a test message through one channel"],
  ],
  options: {
    test: flagOrOption(
      "--test [channel]",
      "Send a test message through one channel (default: all)",
      TEXT,
    ),
    ...JSON_FLAG,
  },
});

/** The declaration of `inkling doctor`. */
export const doctor = declareCommand({
  name: "doctor",
  description: "Find problems: agents, keys, paths, MCP servers, the service, the disk",
  examples: [
    ["inkling doctor", "list the problems and what to do; exit code 1 if there is an error"],
    ["inkling doctor --fix", "fix file permissions, and remove the files of a killed service"],
    ["inkling doctor --json", "for monitoring"],
  ],
  options: {
    fix: flag(
      "--fix",
      "Fix the permissions of private files, and remove the files that a killed service left",
    ),
    ...JSON_FLAG,
  },
});

/** The declaration of `inkling move-history`. */
export const moveHistory = declareCommand({
  name: "move-history",
  description: "Copy the history into a PostgreSQL database, or from one into a new SQLite file",
  examples: [
    [
      'inkling move-history --to "postgres://inkling@db.example/inkling?sslmode=verify-full"',
      "into an empty database; PGPASSWORD or PGPASSFILE may contain the password",
    ],
    [
      'inkling move-history --from "postgres://inkling@db.example/inkling?sslmode=verify-full"',
      "back into a file; stop all nodes first",
    ],
  ],
  options: {
    to: option("--to <address>", "Copy into this database, which must be empty"),
    from: option("--from <address>", "Copy out of this database, while no service uses it"),
    ...JSON_FLAG,
  },
  conflicts: { to: ["from"] },
});

/** The declaration of `inkling permissions`. */
export const permissions = declareCommand({
  name: "permissions",
  description: "Print the narrowest Deno flags for the service, each with its reason",
  examples: [
    ["inkling permissions", "the flags, one per line, each with its reason"],
    ["inkling permissions --command", "one command with all flags, to paste"],
    ["deno task start:scoped", "in Inkling's source tree: start with these flags"],
  ],
  options: {
    command: flag(
      "--command",
      "Print only a shell command that starts the service with these flags",
    ),
    host: option("--host <name>", 'The host that you will pass to "inkling start --host"'),
    ...JSON_FLAG,
  },
  conflicts: { json: ["command"] },
});

/** The declaration of `inkling update`. */
export const update = declareCommand({
  name: "update",
  description: "Update Inkling",
  examples: [
    ["inkling update", "install the newest version"],
    ["inkling update --check", "only check for a newer version"],
  ],
  options: {
    check: flag("--check", "Only report whether there is a newer version"),
    force: flag("--force", "Install the newest release even if this version is newer or the same"),
  },
  conflicts: { force: ["check"] },
});

/** The declaration of `inkling start`. */
export const start = declareCommand({
  name: "start",
  description: "Start the service",
  examples: [
    ["inkling start", "in this terminal; Ctrl+C stops the service"],
    ["inkling start -d --keep-alive", 'in the background, until "inkling stop"'],
    ["inkling start -d --port 8420", "on TCP, too; requires INKLING_API_KEY"],
    ["inkling start --print-unit", 'print the unit file that "inkling service install" installs'],
  ],
  options: {
    daemon: flag("-d, --daemon", "Start the service in the background and return when it is ready"),
    keepAlive: flag("--keep-alive", "Keep running when idle (default: stop after 5 minutes)"),
    port: option(
      "--port <number>",
      "Listen on TCP, too; requires a key (default: service.port)",
      PORT,
    ),
    host: option("--host <name>", "The address to listen on (default: service.host, 127.0.0.1)"),
    apiKey: option("--api-key <key>", "The key for TCP clients (or set INKLING_API_KEY)"),
    printUnit: flagOrOption(
      "--print-unit [kind]",
      "Print a systemd or launchd unit file with these options instead of starting",
      oneOf(UNIT_KINDS),
    ),
  },
  conflicts: { printUnit: ["daemon", "apiKey"] },
});

/** The declaration of `inkling status`. */
export const status = declareCommand({
  name: "status",
  description: "Show the state of the service",
  examples: [
    ["inkling status", "its process, uptime, workspace, agents and executions"],
    ["inkling status --json", "the same as JSON"],
  ],
  options: JSON_FLAG,
});

/** The declaration of `inkling stop`. */
export const stop = declareCommand({
  name: "stop",
  description: "Stop the service",
  examples: [
    ["inkling stop", "give running executions a few seconds, then stop"],
    ["inkling stop --timeout 60", "kill the service only after a minute"],
  ],
  options: {
    timeout: option(
      "--timeout <seconds>",
      "The longest wait before the service is killed (default: 15)",
      SECONDS,
    ),
  },
});

/** The declaration of `inkling service`. */
export const service = declareCommand({
  name: "service",
  description: "Start Inkling with the machine: install, remove or show its unit",
  examples: [
    ["inkling service install", "with systemd or launchd; the port is that of config.yaml"],
    ["inkling service install --system", "as root; the service runs as the workspace's owner"],
    ["inkling service status", "the unit, and what unattended agents still need"],
    ["inkling service uninstall", "stop the service, and remove its unit"],
  ],
  arguments: { action: required("The action", oneOf(["install", "uninstall", "status"])) },
  options: {
    system: flag("--system", "The unit of the machine in place of your user's; needs root"),
    json: flag("--json", "status: print JSON"),
  },
});

/** The declaration of `inkling ui`. */
export const ui = declareCommand({
  name: "ui",
  description: "Open Inkling's page in the browser",
  examples: [
    ["inkling ui", "open the page; Ctrl+C closes it (exit code 130)"],
    ["inkling ui --background", "open the page and return; the page stays open"],
    ["inkling ui --stop", "stop serving the page in the background"],
    ["inkling ui --no-open", "only print the page's address"],
  ],
  options: {
    noOpen: flag("--no-open", "Print the page's address, which works once, and open no browser"),
    background: flag("--background", 'Serve the page in the background until "inkling ui --stop"'),
    stop: flag("--stop", "Stop serving the page in the background"),
  },
  conflicts: { stop: ["background", "noOpen"] },
});
