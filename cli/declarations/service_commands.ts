// Commands about Inkling itself and its service, as the command line declares them. What they do is loaded when one is
// chosen; their declarations stand in few files, because each file that is loaded takes a start its time.
import { declareCommand } from "../command_line/command.ts";
import { flag, flagOrOption, option } from "../command_line/option.ts";
import { oneOf, PORT, SECONDS, TEXT } from "../command_line/value_type.ts";
import { UNIT_KINDS } from "../start/unit.ts";

/** `setup`. */
export const setup = declareCommand({
  name: "setup",
  description: "Set up workspace, model and key; what is there already is kept",
  examples: [
    ["inkling setup", "answer a few questions; Enter keeps what is there"],
    ["inkling setup --yes --provider ollama --model qwen3", "no questions"],
    ["inkling setup -y --provider openai --api-key-stdin < key.txt", "with a key"],
  ],
  arguments: {},
  options: {
    yes: flag("-y, --yes", "Ask nothing: use these options, and what is set up already"),
    provider: option(
      "--provider <name>",
      "Who runs the models: openai, anthropic, ollama, ...",
      TEXT,
    ),
    model: option("--model <name>", "The model of agents that name none", TEXT),
    baseUrl: option(
      "--base-url <url>",
      "The provider's address, for any OpenAI-compatible one",
      TEXT,
    ),
    apiKeyStdin: flag(
      "--api-key-stdin",
      "With --yes: read the key from standard input (others could see it as an argument)",
    ),
    test: flag("--test", "With --yes: have the model answer once, or write nothing"),
    timeout: option("--timeout <seconds>", "How long to wait for one reply of the model", TEXT),
    maxToolCalls: option("--max-tool-calls <count>", 'Most tool calls of a run, or "none"', TEXT),
    maxExecutionTokens: option(
      "--max-execution-tokens <count>",
      'Most tokens of a run, or "none"',
      TEXT,
    ),
    maxCostUsd: option("--max-cost-usd <dollars>", 'Most that a run may cost, or "none"', TEXT),
    maxTokens: option("--max-tokens <count>", "Most tokens of one reply", TEXT),
    temperature: option("--temperature <number>", "From 0 to 1", TEXT),
  },
  async perform(context, options) {
    const { setup } = await import("../commands/setup.ts");
    return await setup(context, options);
  },
});

/** `info`. */
export const info = declareCommand({
  name: "info",
  description: "Show where everything is, and which providers have a key",
  examples: [
    ["inkling info", "the configuration, the workspace, the state, the log"],
    ["inkling info --json", "the same for a program"],
  ],
  arguments: {},
  options: {
    json: flag("--json", "Print JSON"),
  },
  async perform(context, options) {
    const { info } = await import("../commands/info.ts");
    return await info(context, options);
  },
});

/** `permissions`. */
export const permissions = declareCommand({
  name: "permissions",
  description: "Print the narrowest Deno flags under which the service works, and why each",
  examples: [
    ["inkling permissions", "the flags, one a line, and what each is for"],
    ["inkling permissions --command", "all of them in a command to paste"],
    ["deno task start:scoped", "in Inkling's source: start with them"],
  ],
  arguments: {},
  options: {
    command: flag("--command", "Print only the command that starts the service so, for a shell"),
    host: option("--host <name>", "The address that start is told to listen on", TEXT),
    json: flag("--json", "Print JSON"),
  },
  conflicts: { json: ["command"] },
  async perform(context, options) {
    const { permissions } = await import("../commands/permissions.ts");
    return await permissions(context, options);
  },
});

/** `update`. */
export const update = declareCommand({
  name: "update",
  description: "Bring Inkling up to date",
  examples: [
    ["inkling update", "install the newest version in the place of this one"],
    ["inkling update --check", "only look whether there is one"],
  ],
  arguments: {},
  options: {
    check: flag("--check", "Only tell whether there is a newer version"),
    force: flag("--force", "Install what is offered, even if it is older or the same"),
  },
  conflicts: { force: ["check"] },
  async perform(context, options) {
    const { update } = await import("../commands/update.ts");
    return await update(context, options);
  },
});

/** `start`. */
export const start = declareCommand({
  name: "start",
  description: "Start the service",
  examples: [
    ["inkling start", "stay in this terminal; Ctrl+C stops the service"],
    ["inkling start -d --keep-alive", "in the background, until it is stopped"],
    ["inkling start -d --port 8420", "on TCP too, with INKLING_API_KEY set"],
    ["inkling start --print-unit", "a file for systemd or launchd, to start it by itself"],
  ],
  arguments: {},
  options: {
    daemon: flag("-d, --daemon", "Start it in the background and return when it is ready"),
    keepAlive: flag("--keep-alive", "Never stop for want of work (else after 5 minutes)"),
    port: option("--port <number>", "Listen on TCP too; needs a key", PORT),
    host: option("--host <name>", "The address to listen on (default: 127.0.0.1)", TEXT),
    apiKey: option("--api-key <key>", "The key of TCP clients (or: INKLING_API_KEY)", TEXT),
    printUnit: flagOrOption(
      "--print-unit [kind]",
      "Start nothing: print a file that has systemd or launchd start it so",
      oneOf(UNIT_KINDS),
    ),
  },
  conflicts: { printUnit: ["daemon", "apiKey"] },
  async perform(context, options) {
    const { start } = await import("../commands/start.ts");
    return await start(context, options);
  },
});

/** `status`. */
export const status = declareCommand({
  name: "status",
  description: "Tell whether the service runs",
  examples: [
    ["inkling status", "whether it runs, since when, for which workspace"],
    ["inkling status --json", "the same for a program"],
  ],
  arguments: {},
  options: {
    json: flag("--json", "Print JSON"),
  },
  async perform(context, options) {
    const { status } = await import("../commands/status.ts");
    return await status(context, options);
  },
});

/** `stop`. */
export const stop = declareCommand({
  name: "stop",
  description: "Stop the service",
  examples: [
    ["inkling stop", "let running executions finish, then stop"],
    ["inkling stop --timeout 60", "give it a minute before it is forced"],
  ],
  arguments: {},
  options: {
    timeout: option(
      "--timeout <seconds>",
      "How long it may take before it is forced (default: 15)",
      SECONDS,
    ),
  },
  async perform(context, options) {
    const { stop } = await import("../commands/stop.ts");
    return await stop(context, options);
  },
});

/** `ui`. */
export const ui = declareCommand({
  name: "ui",
  description: "Open Inkling in the browser, until Ctrl+C",
  examples: [
    ["inkling ui", "open it in the browser; Ctrl+C ends it (exit code 130)"],
    ["inkling ui --no-open", "print the address, to open it yourself"],
  ],
  arguments: {},
  options: {
    noOpen: flag("--no-open", "Only print the address, which works once"),
  },
  async perform(context, { noOpen = false }) {
    const { ui } = await import("../commands/ui.ts");
    return await ui(context, { open: !noOpen });
  },
});
