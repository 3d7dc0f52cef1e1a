// The options that every command takes, before its name or after it.
import { flag, option, type OptionValues } from "./command_line/option.ts";
import { DIRECTORY } from "./command_line/value_type.ts";

/** What is said of all commands alike. */
export const GLOBAL_OPTIONS = {
  quiet: flag("-q, --quiet", "Show results only (of a run: only its answer)"),
  verbose: flag("-v, --verbose", "Show more: whole tool results, causes of errors"),
  workspace: option(
    "-w, --workspace <dir>",
    "The workspace (default: from config.yaml)",
    DIRECTORY,
  ),
};

/** Their values. */
export type GlobalOptions = OptionValues<typeof GLOBAL_OPTIONS>;

/** Asks for the help of the command that it is typed after. */
export const HELP_OPTION = flag("-h, --help", "Show this help");
/** Asks for the version, of the program alone. */
export const VERSION_OPTION = flag("-V, --version", "Show the version");
