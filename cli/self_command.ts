// How this program starts itself again: the binary by its own path, its modules by Deno with the same permissions.
import { mainModule, programConfig } from "../base/program_files.ts";

/**
 * The permissions of Inkling, one flag each:
 * - no-prompt: what no flag allows is refused; nobody is asked.
 * - no-remote: no code from the network. Deno trusts some hosts with that by default, even where
 *   `--deny-import` forbids it (measured with Deno 2.9.6).
 * - frozen: no packages but those of the lock file. Without it, an import of any other would fetch that one.
 * - read, write: workspaces, configuration and state are where the user says; agents are confined by the path sandbox.
 * - net: model providers, http_request, the service's socket.
 * - env: keys, and what packages look up.
 * - run: to start the detached service, the processes of custom tools and of .ts scripts, .py and .sh scripts, MCP
 *   programs, the browser of `ui`, the editor of whoever edits a call; and to end them with all that they started, as `stop` ends the service. A list of
 *   programs would do for starting, but not for signals to anything but a child itself (measured with Deno 2.9.6).
 * - sys: the machine's addresses, which http_request must know; its name, where machines share a database; the umask around
 *   the socket, which has no name of its own among the flag's values; the free space of a disk, for doctor.
 * Never ffi or import. The narrower flags that one workspace needs are worked out in runtime/permissions.
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

/** Program and first arguments that start Inkling from its modules, under Deno's flags: all that it may ever need. */
export function sourceCommand(flags: readonly string[] = PERMISSION_FLAGS): string[] {
  return [Deno.execPath(), "run", "--config", programConfig(), ...flags, mainModule()];
}

/** Program and first arguments that start whatever is running now. */
export function selfCommand(): string[] {
  return Deno.build.standalone ? [Deno.execPath()] : sourceCommand();
}
