// The command that starts this program again: the compiled binary, or Deno with the main module and its permissions.
import { mainModule, programConfig } from "../base/program_files.ts";

/**
 * The permissions of Inkling, one flag each.
 * - no-prompt: refuses everything that no flag allows, without a prompt.
 * - no-remote: no code from the network. By default Deno trusts some hosts, even with `--deny-import` (measured with Deno
 *   2.9.6).
 * - frozen: only packages of the lock file. Without it, an import of another package would download it.
 * - read, write: the user chooses the folders of workspaces, configuration and state. The path sandbox confines agents.
 * - net: model providers, http_request, the service's socket.
 * - env: keys, and the variables that packages read.
 * - run: starts the background service, custom tools, scripts, MCP programs, the browser of `ui` and the user's editor, and
 *   ends them with their child processes. A list of programs would not allow signals to processes other than children
 *   (measured with Deno 2.9.6).
 * - sys: the machine's addresses for http_request, its name for a shared database, the umask of the socket (which has no
 *   name among the flag's values), and the free disk space for doctor.
 * Never ffi or import. runtime/permissions derives the narrower flags of one workspace.
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

/** Returns the program and first arguments that start Inkling from its modules with these Deno flags. */
export function sourceCommand(flags: readonly string[] = PERMISSION_FLAGS): string[] {
  return [Deno.execPath(), "run", "--config", programConfig(), ...flags, mainModule()];
}

/** Returns the program and first arguments that start this program again. */
export function selfCommand(): string[] {
  return Deno.build.standalone ? [Deno.execPath()] : sourceCommand();
}
