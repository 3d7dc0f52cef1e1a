// Merges a person's choices into the text of config.yaml, without writing it.
import type { Config } from "../../runtime/config/config.ts";
import { editConfigText } from "../../runtime/config/files/config_file_edit.ts";
import { ConfigError, loadConfig, parseConfig } from "../../runtime/config/parse_config.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { readTextIfThere } from "./installation_files.ts";
import { type SetupChoices, toConfigEdits } from "./setup_choices.ts";

/** config.yaml does not allow the choices. */
export class ChoicesRefused extends RuntimeError {
  readonly code: RuntimeErrorCode = "invalid";
}

/** The guarded tools of a new installation: those that change files. */
const GUARDED_TOOLS = ["file_delete", "file_write", "file_edit", "file_move"];

/** The file's whole text, and the parsed configuration. */
export interface ChosenConfig {
  text: string;
  config: Config;
}

/**
 * Returns the file at `path` with the choices merged in, relative to the person's current folder. Throws
 * ChoicesRefused for invalid choices, and ConfigError for a file that is already broken.
 */
export async function chooseConfig(
  choices: SetupChoices,
  { path, home, cwd }: { path: string; home: string; cwd: string },
): Promise<ChosenConfig> {
  // Loaded unchanged first, so that an existing error is not blamed on the choices.
  const now = await loadConfig(path, { home });
  const before = await readTextIfThere(path);
  const edits = toConfigEdits(choices, { now, cwd });
  // An existing file keeps its guards.
  if (before === undefined) {
    edits.push(
      { path: ["defaults", "confirm_tools"], value: GUARDED_TOOLS },
      { path: ["defaults", "mcp_confirm"], value: "writes" },
    );
  }
  const text = editConfigText(before ?? "", edits, { path });
  const parsed = parseConfig(text, { path, home });
  if ("config" in parsed) return { text, config: parsed.config };
  const error = parsed.diagnostics.find(({ severity }) => severity === "error");
  throw new ChoicesRefused(error?.message ?? new ConfigError(parsed.diagnostics).message);
}
