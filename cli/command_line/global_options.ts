// Declares the options that every command accepts. They may precede or follow the name of the command.
import { flag, option, type OptionValues } from "./option.ts";
import { DIRECTORY } from "./value_type.ts";

/** The options that every command accepts, by their keys. */
export const GLOBAL_OPTIONS = {
  quiet: flag("-q, --quiet", "Show results only (for a run: only its answer)"),
  verbose: flag("-v, --verbose", "Show more: whole tool results, causes of errors"),
  workspace: option(
    "-w, --workspace <dir>",
    "The workspace (default: from config.yaml)",
    DIRECTORY,
  ),
  url: option("--url <address>", "Use the service at this address (or INKLING_URL)"),
  keyEnv: option("--key-env <name>", "The variable with the key for --url"),
};

/** The parsed values of the global options. */
export type GlobalOptions = OptionValues<typeof GLOBAL_OPTIONS>;

/** The option that prints the help of the command, or of the program before a command's name. */
export const HELP_OPTION = flag("-h, --help", "Show this help");
/** The option that prints the version. Only the program accepts it, not the commands. */
export const VERSION_OPTION = flag("-V, --version", "Show the version");
