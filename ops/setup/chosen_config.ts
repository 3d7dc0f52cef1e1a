// config.yaml as it would be with what a person chose: nothing is written.
import type { Config } from "../../runtime/config/config.ts";
import { editConfigText } from "../../runtime/config/files/config_file_edit.ts";
import { ConfigError, loadConfig, parseConfig } from "../../runtime/config/parse_config.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { readTextIfThere } from "./installation_files.ts";
import { type SetupChoices, toConfigEdits } from "./setup_choices.ts";

/** config.yaml may not hold what was chosen. */
export class ChoicesRefused extends RuntimeError {
  readonly code: RuntimeErrorCode = "invalid";
}

/** The tools that ask in a new installation: each that changes a file. */
const GUARDED_TOOLS = ["file_delete", "file_write", "file_edit", "file_move"];

/** The whole file, and what it means. */
export interface ChosenConfig {
  text: string;
  config: Config;
}

/**
 * The file at `path` with the choices merged in, seen from the folder in which the person stands. Throws ChoicesRefused for
 * what it may not hold, and ConfigError where it is broken before.
 */
export async function chooseConfig(
  choices: SetupChoices,
  { path, home, cwd }: { path: string; home: string; cwd: string },
): Promise<ChosenConfig> {
  // First as it is: what is wrong with the file already is not due to the choices.
  const now = await loadConfig(path, { home });
  const before = await readTextIfThere(path);
  const edits = toConfigEdits(choices, { now, cwd });
  // A file that is there keeps what its tools did so far.
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
