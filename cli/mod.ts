// The entry point of the command line: runs one command and returns its exit code. It prints every error that a command
// throws.
import type { CliApp, WorkspaceOption } from "./context/app.ts";
import type { Command, Program } from "./command_line/command.ts";
import { type CommandLine, parseCommandLine } from "./command_line/parse.ts";
import { UsageError } from "./command_line/usage_error.ts";
import type { CommandContext } from "./context/context.ts";
import { commandFailed, EXIT, type ExitCode, toExit } from "./context/exit.ts";
import type { GlobalOptions } from "./command_line/global_options.ts";
import { refuseMissingWorkspace } from "./context/missing_workspace.ts";
import { Output } from "./output/output.ts";
import { createStyle, type Style } from "./output/style.ts";
import type { Terminal } from "./output/terminal.ts";
import { PROGRAM } from "./program.ts";

export type { CliApp } from "./context/app.ts";

/** Runs the command that `argv` names, and returns its exit code. Prints thrown errors instead of throwing them. */
export async function runCli(argv: readonly string[], app: CliApp): Promise<number> {
  let output = openOutput(app, {});
  try {
    if (argv.length === 0) return await welcome({ app, output });
    const line = parseCommandLine(PROGRAM, argv);
    if (line.kind === "command") output = openOutput(app, line.options);
    return await answer(line, { app, output });
  } catch (error) {
    if (error instanceof UsageError) return complain(output, error);
    const exit = toExit(error);
    if (exit.text !== undefined) output.error(exit.text);
    if (output.verbose && exit.text !== undefined) showCauses(output, error);
    return exit.code;
  }
}

async function welcome({ app, output }: CommandContext): Promise<ExitCode> {
  if (await app.isSetUp({})) await showHelp(PROGRAM, app.stdout, output.style);
  else {
    output.sentence(PROGRAM.description);
    output.sentence(`\n${FIRST_STEP}\n`);
    output.fields(FIRST_COMMANDS);
  }
  return EXIT.ok;
}

async function answer(line: CommandLine, { app, output }: CommandContext): Promise<ExitCode> {
  switch (line.kind) {
    case "command": {
      const { workspace } = line.options;
      const used = await appFor(line, { app, output });
      const context = { app: used, output, ...(workspace !== undefined && { workspace }) };
      if (used.remote === undefined) {
        await refuseMissingWorkspace(line.name, context);
        await leadToSetup(line.name, context);
      }
      return await line.perform(context);
    }
    case "help":
      await showHelp(line.of, app.stdout, output.style);
      return EXIT.ok;
    case "version":
      app.stdout.write(`${app.version}\n`);
      return EXIT.ok;
    case "nothing":
      await showHelp(PROGRAM, app.stderr, createStyle({ colors: false }));
      return EXIT.usage;
    default:
      return line satisfies never;
  }
}

/** Returns the app for the service of this machine, or for the one that `--url` or INKLING_URL names. */
async function appFor(
  { name: command, options }: Extract<CommandLine, { kind: "command" }>,
  { app, output }: CommandContext,
): Promise<CliApp> {
  const url = options.url ?? app.environment["INKLING_URL"];
  if (!url) return app;
  const { toRemoteApp } = await import("./service/remote_service.ts");
  const { keyEnv = "INKLING_API_KEY" } = options;
  return toRemoteApp(app, {
    ...{ command, url, keyEnv, isRequired: options.url !== undefined },
    warn: (text) => output.warning(text),
  });
}

async function showHelp(of: Command | Program, terminal: Terminal, style: Style): Promise<void> {
  const { formatHelp } = await import("./command_line/help.ts");
  terminal.write(formatHelp(PROGRAM, of, { columns: terminal.columns, style }));
}

function openOutput(app: CliApp, options: GlobalOptions): Output {
  return new Output({
    stdout: app.stdout,
    stderr: app.stderr,
    quiet: options.quiet ?? false,
    verbose: options.verbose ?? false,
  });
}

function complain(output: Output, { message, command }: UsageError): ExitCode {
  output.error(message);
  const name = command === undefined ? "inkling" : `inkling ${command}`;
  output.note(`"${name} --help" shows the usage`);
  return EXIT.usage;
}

function showCauses(output: Output, error: unknown): void {
  for (let one = error; one instanceof Error; one = one.cause) {
    output.note(one.stack ?? one.message);
  }
}

/** The hint to the user if neither config.yaml nor an agents folder exists. */
const FIRST_STEP = 'Inkling is not set up yet. Run "inkling setup"; it takes a minute';

/** The commands that the hint lists for a new user, with their purposes. */
const FIRST_COMMANDS = [
  ["inkling setup", 'set a model; "demo" needs no key'],
  ["inkling run hello", "run the first agent"],
  ["inkling new daily", "create another agent"],
  ["inkling doctor", "check this machine"],
  ["inkling --help", "list all commands"],
] as const;

/** The commands that fail without an agent. Before the setup they end with the hint as their error. */
const NEED_AGENTS: ReadonlySet<string> = new Set(["run", "chat"]);
/** The commands that have nothing to show before the setup. The hint is printed in addition to their output. */
const SHOW_AGENTS: ReadonlySet<string> = new Set([
  ...["start", "status", "list", "logs", "watch", "cancel", "pending", "respond", "checkpoint"],
  ...["validate", "ui"],
]);

/**
 * Prints the setup hint if neither config.yaml nor an agents folder exists. Throws CommandFailure for a command that needs
 * an agent.
 */
async function leadToSetup(
  command: string,
  options: WorkspaceOption & { app: CliApp; output: Output },
): Promise<void> {
  const { app, output } = options;
  if (!NEED_AGENTS.has(command) && !SHOW_AGENTS.has(command)) return;
  if (await app.isSetUp(options)) return;
  if (NEED_AGENTS.has(command)) throw commandFailed(FIRST_STEP);
  output.note(FIRST_STEP);
}
