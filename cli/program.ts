// The command table: every command with its arguments and options. Its code is loaded when it is chosen.
import { Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { declareComplete, declareCompletions } from "./completions/declare_completions.ts";
import type { CommandContext } from "./context.ts";
import type { GlobalOptions } from "./global_options.ts";
import {
  EXAMPLES,
  formatExamples,
  formatExitCodes,
  helpConfiguration,
  type HelpLayout,
} from "./help.ts";
import type { ExitCode } from "./exit.ts";
import { declareNew } from "./new/declare_new.ts";
import { declarePermissions } from "./permissions/declare_permissions.ts";
import { declareSetup } from "./setup/declare_setup.ts";
import { declareStart } from "./start/declare_start.ts";
import { declareUi } from "./ui/declare_ui.ts";
import { declareUpdate } from "./update/declare_update.ts";

/** How the program speaks and acts. */
export interface ProgramOptions {
  version: string;
  helpLayout: HelpLayout;
  /** Takes help and version texts that were asked for. */
  write: (text: string) => void;
  /** Takes the help that is shown because a command is missing. */
  writeError: (text: string) => void;
  /** Takes the complaint about a command line, and the command whose help tells more. */
  complain: (message: string, command: string) => void;
  /** Called before the chosen command is done. */
  prepare: (command: string, options: GlobalOptions) => Promise<void>;
  /** Does the chosen command. */
  perform: (
    options: GlobalOptions,
    command: (context: CommandContext) => Promise<ExitCode>,
  ) => Promise<void>;
}

/** The parser of the whole command line. */
export interface Program {
  outputHelp(): void;
  parseAsync(argv: readonly string[], options: { from: "user" }): Promise<unknown>;
}

/** The whole command line. Parsing throws a CommanderError for help, version and usage errors, after telling them. */
export function createProgram(options: ProgramOptions): Program {
  const { perform } = options;
  // Options before the command's name belong to the program, those behind it to the command, which declares them too:
  // so that `--message -q` is a message.
  const program = declare("inkling", options)
    .description("Runs agents that are Markdown files: on request, by schedule, on file changes")
    .version(options.version, "-V, --version", "Show the version")
    .helpCommand("help [command]", "Show the help of a command")
    .enablePositionalOptions()
    .addHelpText("after", formatExitCodes(options.helpLayout))
    .hook(
      "preAction",
      (program, command) =>
        options.prepare(command.name(), { ...program.opts(), ...command.opts() }),
    );

  const add = (name: keyof typeof EXAMPLES) => {
    const command = declare(name, options)
      .addHelpText("after", formatExamples(EXAMPLES[name], options.helpLayout));
    program.addCommand(command);
    return command;
  };
  const globals = (own: GlobalOptions): GlobalOptions => ({ ...program.opts(), ...own });

  declareSetup(add("setup"), (own) =>
    perform(globals(own), async (context) => {
      const { setup } = await import("./commands/setup.ts");
      return await setup(context, own);
    }));
  declareNew(add("new"), (name, own) =>
    perform(globals(own), async (context) => {
      const { newAgent } = await import("./commands/new.ts");
      return await newAgent(context, name, own);
    }));
  declareStart(add("start"), (own) =>
    perform(globals(own), async (context) => {
      const { start } = await import("./commands/start.ts");
      return await start(context, own);
    }));
  add("status")
    .description("Tell whether the service runs")
    .option("--json", "Print JSON")
    .action((own) =>
      perform(globals(own), async (context) => {
        const { status } = await import("./commands/status.ts");
        return await status(context, own);
      })
    );
  add("stop")
    .description("Stop the service")
    .option("--timeout <seconds>", "How long it may take before it is forced", parseSeconds, 15)
    .action((own) =>
      perform(globals(own), async (context) => {
        const { stop } = await import("./commands/stop.ts");
        return await stop(context, own);
      })
    );
  add("list")
    .description("List the agents")
    .option("--json", "Print JSON")
    .action((own) =>
      perform(globals(own), async (context) => {
        const { list } = await import("./commands/list.ts");
        return await list(context, own);
      })
    );
  add("run")
    .description("Run an agent and show what it does")
    .argument("[agent]", "The agent's id")
    .argument("[args...]", "Arguments for its text")
    .option("-d, --detach", "Return as soon as the run is accepted")
    .option("--message <text>", 'Say this instead of "Execute your task"')
    .option("--context <text>", "Add this to what the agent is told")
    .option("--session <id>", "Make it a turn of this conversation")
    .option("--json", "Print the frames of the run as lines of JSON")
    .action((agent, args, own) =>
      perform(globals(own), async (context) => {
        const { run } = await import("./commands/run.ts");
        return await run(context, agent, args, own);
      })
    );
  add("chat")
    .description("Talk with an agent")
    .argument("[agent]", "The agent's id")
    .action((agent, own) =>
      perform(globals(own), async (context) => {
        const { chat } = await import("./commands/chat.ts");
        return await chat(context, agent);
      })
    );
  add("pending")
    .description("List the executions that wait for an answer")
    .option("--json", "Print JSON")
    .action((own) =>
      perform(globals(own), async (context) => {
        const { pending } = await import("./commands/pending.ts");
        return await pending(context, own);
      })
    );
  add("respond")
    .description(
      "Answer an execution that waits and see it go on; without options it asks you",
    )
    .argument("<execution_id>", "The execution's id", parseCount)
    .option("--yes", "Allow it")
    .option("--no", "Deny it")
    .option("--reason <text>", "With --no: why; the agent reads it")
    .option("--text <text>", "Answer a question with this text")
    .option("--choice <value>", "Choose this, by value or by number; may be repeated", collect)
    .action((id, own) =>
      perform(globals(own), async (context) => {
        const { respond } = await import("./commands/respond.ts");
        return await respond(context, id, own);
      })
    );
  add("checkpoint")
    .description("Show or remove stored conversations")
    .addOption(new Option("--stats", "Show what is stored (the default)").conflicts("purge"))
    .option("--purge", "Remove all but the newest of each agent and those that wait")
    .option("--agent <id>", "Only those of this agent")
    .option("--force", "With --purge: remove the newest and the waiting ones, too")
    .option("--json", "Print JSON")
    .action((own) =>
      perform(globals(own), async (context) => {
        const { checkpoint } = await import("./commands/checkpoint.ts");
        return await checkpoint(context, own);
      })
    );
  add("logs")
    .description("Show what an agent did")
    .argument("[agent]", "The agent's id; not needed with -e or -f")
    .option(
      "-n, --last <count>",
      "How many executions, messages or lines (default: 10)",
      parseCount,
    )
    .option("-e, --execution <id>", "Show the messages of this execution", parseCount)
    .addOption(
      new Option("-f, --follow", "Follow the log of the service")
        .conflicts(["execution", "json"]),
    )
    .option("--json", "Print JSON")
    .action((agent, own) =>
      perform(globals(own), async (context) => {
        const { logs } = await import("./commands/logs.ts");
        return await logs(context, agent, own);
      })
    );
  add("validate")
    .description("Check agent files")
    .argument("[agent]", "An agent's id, or the path of a .md file")
    .option("--json", "Print JSON")
    .action((agent, own) =>
      perform(globals(own), async (context) => {
        const { validate } = await import("./commands/validate.ts");
        return await validate(context, agent, own);
      })
    );
  add("info")
    .description("Show the configuration in effect")
    .option("--json", "Print JSON")
    .action((own) =>
      perform(globals(own), async (context) => {
        const { info } = await import("./commands/info.ts");
        return await info(context, own);
      })
    );
  declarePermissions(add("permissions"), (own) =>
    perform(globals(own), async (context) => {
      const { permissions } = await import("./commands/permissions.ts");
      return await permissions(context, own);
    }));
  declareUi(add("ui"), (own) =>
    perform(globals(own), async (context) => {
      const { ui } = await import("./commands/ui.ts");
      return await ui(context, own);
    }));
  declareUpdate(add("update"), (own) =>
    perform(globals(own), async (context) => {
      const { update } = await import("./commands/update.ts");
      return await update(context, own);
    }));
  declareCompletions(add("completions"), (shell, own) =>
    perform(globals(own), async (context) => {
      const { completions } = await import("./commands/completions.ts");
      return await completions(context, shell);
    }));
  const complete = declareComplete(
    declare("complete", options),
    (shell, handed, own) =>
      perform(globals(own), async (context) => {
        const { complete } = await import("./commands/complete.ts");
        return await complete(context, program, { shell, handed });
      }),
  );
  program.addCommand(complete, { hidden: true });
  return program;
}

/** A command with what all of them have. Its type is inferred: it is how the options of each one are known. */
function declare(name: string, options: ProgramOptions) {
  return new Command(name)
    .helpOption("-h, --help", "Show this help")
    .option("-q, --quiet", "Show results only (of a run: only its answer)")
    .option("-v, --verbose", "Show more: whole tool results, causes of errors")
    .option("-w, --workspace <dir>", "The workspace (default: config.yaml's)")
    .exitOverride()
    .configureHelp(helpConfiguration(options.helpLayout))
    .configureOutput({
      writeOut: options.write,
      writeErr: options.writeError,
      getOutHasColors: () => options.helpLayout.style.isColored,
      getErrHasColors: () => false,
      outputError: (text) => options.complain(text, name),
    });
}

function parseCount(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError("It must be a whole number from 1.");
  }
  return value;
}

function collect(value: string, earlier: string[] | undefined): string[] {
  return [...earlier ?? [], value];
}

function parseSeconds(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value > 86_400) {
    throw new InvalidArgumentError("It must be a number of seconds, 86400 at most.");
  }
  return value;
}
