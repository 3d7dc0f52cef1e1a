// The options of every command. They may precede or follow the command's name.
import { flag, option, type OptionValues } from "./option.ts";
import { DIRECTORY } from "./value_type.ts";

/** The global options. */
export const GLOBAL_OPTIONS = {
  quiet: flag("-q, --quiet", "Show results only (for a run: only its answer)"),
  verbose: flag("-v, --verbose", "Show more: whole tool results, causes of errors"),
  workspace: option(
    "-w, --workspace <dir>",
    "The workspace (default: from config.yaml)",
    DIRECTORY,
  ),
};

/** The values of the global options. */
export type GlobalOptions = OptionValues<typeof GLOBAL_OPTIONS>;

/** Shows the help of the command before it. */
export const HELP_OPTION = flag("-h, --help", "Show this help");
/** Shows the version; an option of the program only. */
export const VERSION_OPTION = flag("-V, --version", "Show the version");
