// Commands about Inkling itself and its service, as the command line declares them.
// They share few files, because each file that is loaded slows the start.
import { declareCommand } from "../command_line/command.ts";
import { flag, flagOrOption, JSON_FLAG, option } from "../command_line/option.ts";
import { oneOf, PORT, SECONDS, TEXT } from "../command_line/value_type.ts";
import { UNIT_KINDS } from "../service/units/unit.ts";

/** `setup`. */
export const setup = declareCommand({
  name: "setup",
  description: "Set up the workspace, model and key; keeps what is already set up",
  examples: [
    ["inkling setup", "answer a few questions; Enter keeps the current value"],
    ["inkling setup --yes --provider ollama --model qwen3", "ask no questions"],
    ["inkling setup -y --provider openai --api-key-stdin < key.txt", "with a key"],
  ],
  options: {
    yes: flag("-y, --yes", "Ask nothing: use these options and what is already set up"),
    provider: option(
      "--provider <name>",
      "The model provider: openai, anthropic, ollama, ...",
      TEXT,
    ),
    model: option("--model <name>", "The model for agents that name none", TEXT),
    baseUrl: option(
      "--base-url <url>",
      "The provider's address, for any OpenAI-compatible endpoint",
      TEXT,
    ),
    apiKeyStdin: flag(
      "--api-key-stdin",
      "With --yes: read the key from standard input (other users can see arguments)",
    ),
    test: flag("--test", "With --yes: test the model first; if it does not answer, write nothing"),
    timeout: option("--timeout <seconds>", "How long to wait for one model reply", TEXT),
    maxToolCalls: option("--max-tool-calls <count>", 'Maximum tool calls per run, or "none"', TEXT),
    maxExecutionTokens: option(
      "--max-execution-tokens <count>",
      'Maximum tokens per run, or "none"',
      TEXT,
    ),
    maxCostUsd: option("--max-cost-usd <dollars>", 'Maximum cost per run, or "none"', TEXT),
    maxTokens: option("--max-tokens <count>", "Maximum tokens per reply", TEXT),
    temperature: option("--temperature <number>", "Sampling temperature, from 0 to 1", TEXT),
  },
});

/** `info`. */
export const info = declareCommand({
  name: "info",
  description: "Show where everything is and which providers have a key",
  examples: [
    ["inkling info", "the configuration, the workspace, the state, the log"],
    ["inkling info --json", "the same as JSON"],
  ],
  options: JSON_FLAG,
});

/** `notify`. */
export const notify = declareCommand({
  name: "notify",
  description: "Show where messages go, or send a test message and tell what came back",
  examples: [
    ["inkling notify", "the channels of config.yaml, and what is missing"],
    ["inkling notify --test", "a test message through each of them"],
    ["inkling notify --test phone", "through one"],
  ],
  options: {
    test: flagOrOption(
      "--test [channel]",
      "Send a test message through all channels, or one",
      TEXT,
    ),
    ...JSON_FLAG,
  },
});

/** `doctor`. */
export const doctor = declareCommand({
  name: "doctor",
  description: "Look for what is wrong: agents, keys, paths, MCP servers, the service, the disk",
  examples: [
    ["inkling doctor", "each thing that is wrong, and what to do; exit code 1 for an error"],
    ["inkling doctor --fix", "mend what is safe: modes of files, what a killed service left"],
    ["inkling doctor --json", "for monitoring"],
  ],
  options: {
    fix: flag("--fix", "Mend modes of files with keys, and remove what a killed service left"),
    ...JSON_FLAG,
  },
});

/** `move-history`. */
export const moveHistory = declareCommand({
  name: "move-history",
  description: "Copy the history into a PostgreSQL database, or from one into a new file",
  examples: [
    [
      'inkling move-history --to "postgres://inkling@db.example/inkling?sslmode=verify-full"',
      "into an empty database; the password may be in PGPASSWORD or PGPASSFILE",
    ],
    [
      'inkling move-history --from "postgres://inkling@db.example/inkling?sslmode=verify-full"',
      "the other way, with all nodes stopped",
    ],
  ],
  options: {
    to: option("--to <address>", "Copy into this database, which has no history yet", TEXT),
    from: option(
      "--from <address>",
      "Copy out of this database, where no service runs on it",
      TEXT,
    ),
    ...JSON_FLAG,
  },
  conflicts: { to: ["from"] },
});

/** `permissions`. */
export const permissions = declareCommand({
  name: "permissions",
  description: "Print the narrowest Deno flags that the service can run with, each with its reason",
  examples: [
    ["inkling permissions", "the flags, one per line, each with its reason"],
    ["inkling permissions --command", "one command with all of them, to paste"],
    ["deno task start:scoped", "in Inkling's source tree: start with these flags"],
  ],
  options: {
    command: flag("--command", "Print only a shell command that starts the service with them"),
    host: option("--host <name>", "The --host that start will be given", TEXT),
    ...JSON_FLAG,
  },
  conflicts: { json: ["command"] },
});

/** `update`. */
export const update = declareCommand({
  name: "update",
  description: "Update Inkling",
  examples: [
    ["inkling update", "replace this version with the newest"],
    ["inkling update --check", "only check for a newer version"],
  ],
  options: {
    check: flag("--check", "Only report whether there is a newer version"),
    force: flag("--force", "Install the offered version, even if it is older or the same"),
  },
  conflicts: { force: ["check"] },
});

/** `start`. */
export const start = declareCommand({
  name: "start",
  description: "Start the service",
  examples: [
    ["inkling start", "stay in this terminal; Ctrl+C stops the service"],
    ["inkling start -d --keep-alive", "in the background, until it is stopped"],
    ["inkling start -d --port 8420", "on TCP too, with INKLING_API_KEY set"],
    ["inkling start --print-unit", "a file with which systemd or launchd starts it"],
  ],
  options: {
    daemon: flag("-d, --daemon", "Start it in the background and return when it is ready"),
    keepAlive: flag("--keep-alive", "Keep running when idle (default: stop after 5 minutes)"),
    port: option(
      "--port <number>",
      "Listen on TCP too; requires a key (default: service.port)",
      PORT,
    ),
    host: option(
      "--host <name>",
      "The address to listen on (default: service.host, 127.0.0.1)",
      TEXT,
    ),
    apiKey: option("--api-key <key>", "The key for TCP clients (or set INKLING_API_KEY)", TEXT),
    printUnit: flagOrOption(
      "--print-unit [kind]",
      "Start nothing: print a systemd or launchd file that starts it with these options",
      oneOf(UNIT_KINDS),
    ),
  },
  conflicts: { printUnit: ["daemon", "apiKey"] },
});

/** `status`. */
export const status = declareCommand({
  name: "status",
  description: "Show whether the service is running",
  examples: [
    ["inkling status", "whether it is running, since when, for which workspace"],
    ["inkling status --json", "the same as JSON"],
  ],
  options: JSON_FLAG,
});

/** `stop`. */
export const stop = declareCommand({
  name: "stop",
  description: "Stop the service",
  examples: [
    ["inkling stop", "give running executions a few seconds, then stop"],
    ["inkling stop --timeout 60", "allow it a minute before it is killed"],
  ],
  options: {
    timeout: option(
      "--timeout <seconds>",
      "How long it may take before it is killed (default: 15)",
      SECONDS,
    ),
  },
});

/** `ui`. */
export const ui = declareCommand({
  name: "ui",
  description: "Open the dashboard in the browser, until Ctrl+C",
  examples: [
    ["inkling ui", "open it in the browser; Ctrl+C ends it (exit code 130)"],
    ["inkling ui --background", "open it; the page outlives the command"],
    ["inkling ui --stop", "end such a page"],
    ["inkling ui --no-open", "print the address, to open it yourself"],
  ],
  options: {
    noOpen: flag("--no-open", "Only print the address, which works once"),
    background: flag("--background", "Serve the page behind this command, until --stop"),
    stop: flag("--stop", "End a page that is served in the background"),
  },
  conflicts: { stop: ["background", "noOpen"] },
});
