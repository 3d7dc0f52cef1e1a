// The command line: from arguments to an exit code. The only place where a failure becomes text.
import { CommanderError } from "@commander-js/extra-typings";
import type { CliApp } from "./app.ts";
import { EXIT, toExit } from "./exit.ts";
import { Output } from "./output/output.ts";
import { FIRST_STEP, leadToSetup } from "./first_use.ts";
import type { GlobalOptions } from "./global_options.ts";
import { createProgram } from "./program.ts";

export type { CliApp } from "./app.ts";

/** Runs the command that the arguments name and returns the exit code. Never throws for what a person may cause. */
export async function runCli(argv: readonly string[], app: CliApp): Promise<number> {
  let code: number = EXIT.ok;
  let output = openOutput(app, {});
  const program = createProgram({
    version: app.version,
    helpLayout: { width: Math.min(app.stdout.columns, HELP_WIDTH), style: output.style },
    write: (text) => app.stdout.write(text),
    writeError: (text) => app.stderr.write(text),
    complain: (message, command) => complain(output, message, command),
    async prepare(command, options) {
      output = openOutput(app, options);
      const { workspace } = options;
      await leadToSetup(command, { app, output, ...(workspace !== undefined && { workspace }) });
    },
    async perform(options, command) {
      const { workspace } = options;
      code = await command({ app, output, ...(workspace !== undefined && { workspace }) });
    },
  });
  try {
    if (argv.length > 0) await program.parseAsync(argv, { from: "user" });
    else {
      program.outputHelp();
      if (!await app.isSetUp({})) output.line(`\n${FIRST_STEP}`);
    }
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const exit = toExit(error);
    if (exit.text !== undefined) output.error(exit.text);
    if (output.verbose && exit.text !== undefined) showCauses(output, error);
    return exit.code;
  }
}

const HELP_WIDTH = 100;

function openOutput(app: CliApp, options: GlobalOptions): Output {
  return new Output({
    stdout: app.stdout,
    stderr: app.stderr,
    quiet: options.quiet ?? false,
    verbose: options.verbose ?? false,
  });
}

/** Commander's complaint as one of our sentences: `Unknown option '--jsn'. Did you mean --json?` */
function complain(output: Output, message: string, command: string): void {
  const text = message.trim().replace(/^error: /, "").replace(/\.?\s*\n\(?(.*?)\)?$/, ". $1");
  output.error(text.charAt(0).toUpperCase() + text.slice(1));
  const name = command === "inkling" ? "inkling" : `inkling ${command}`;
  output.note(`"${name} --help" shows how it is used`);
}

function showCauses(output: Output, error: unknown): void {
  for (let one = error; one instanceof Error; one = one.cause) {
    output.note(one.stack ?? one.message);
  }
}
