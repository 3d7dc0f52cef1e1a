// Builds the command that starts this program again: the compiled binary, or Deno with the main module and permission
// flags.
import { mainModule, programConfig } from "../base/program_files.ts";

/**
 * The permissions of Inkling, one flag each.
 * - no-prompt: Deno refuses an operation that no flag allows, and does not ask the user.
 * - no-remote: Deno imports no code from the network. Without the flag it imports code from some trusted hosts, even with
 *   `--deny-import` (measured with Deno 2.9.6).
 * - frozen: Deno imports only packages of the lock file. Without the flag, an import of another package would download it.
 * - allow-read, allow-write: users choose the folders of workspaces, configuration and state. Inkling itself checks the
 *   paths that agents use.
 * - allow-net: connections to model providers, the tool http_request, and the service's socket.
 * - allow-env: keys, and the variables that packages read.
 * - allow-run: starts the background service, custom tools, scripts, MCP programs, the browser and the editor, and ends
 *   them with their child processes; `inkling service` runs systemctl, loginctl, launchctl and id. With a list of
 *   programs, the flag would allow signals to child processes only (measured with Deno 2.9.6).
 * - allow-sys: the machine's addresses for http_request, its name for a shared database, the umask of the socket, and the
 *   free disk space for `doctor`. The flag has no value that allows only the umask.
 * Inkling needs neither ffi nor import. runtime/permissions derives the narrower flags of one workspace.
 */
export const PERMISSION_FLAGS: readonly string[] = [
  "--no-prompt",
  "--no-remote",
  "--frozen",
  "--allow-read",
  "--allow-write",
  "--allow-net",
  "--allow-env",
  "--allow-run",
  "--allow-sys",
];

/**
 * Returns the command that runs Inkling's main module with Deno and the given permission flags. `--quiet`: at a terminal,
 * Deno's progress of loading modules would mix with Inkling's own lines.
 */
export function sourceCommand(flags: readonly string[] = PERMISSION_FLAGS): string[] {
  return [Deno.execPath(), "run", "--quiet", "--config", programConfig(), ...flags, mainModule()];
}

/**
 * Returns the command that starts this program again, without a command of Inkling. A binary has its permissions compiled
 * in.
 */
export function selfCommand(): string[] {
  return Deno.build.standalone ? [Deno.execPath()] : sourceCommand();
}
