// How this program starts itself again: the binary by its own path, the source tree by Deno with the same permissions.
import { fileURLToPath } from "node:url";

/**
 * The permissions of Inkling, one flag each:
 * - read, write: workspaces, configuration and state lie where the user says; agents are confined by the path sandbox.
 * - net: model providers, http_request, the service's socket.
 * - env: keys, and what packages look up.
 * - run: to start the detached service, the processes of custom tools and of .ts scripts, .py and .sh scripts, MCP
 *   programs, the browser of `ui`; and to end them with all that they started, as `stop` ends the service. A list of
 *   programs would do for starting, but not for signals to anything but a child itself (measured with Deno 2.9.6).
 * - sys: the umask around the socket; it has no name of its own among the flag's values.
 * Never ffi or import. The narrower flags that one workspace needs are worked out in runtime/permissions.
 */
export const PERMISSION_FLAGS: readonly string[] = [
  "--no-prompt",
  "--allow-read",
  "--allow-write",
  "--allow-net",
  "--allow-env",
  "--allow-run",
  "--allow-sys",
];

/** Program and first arguments that start Inkling from its source tree, under Deno's flags: all that it may ever need. */
export function sourceCommand(flags: readonly string[] = PERMISSION_FLAGS): string[] {
  const main = fileURLToPath(new URL("../main.ts", import.meta.url));
  const config = fileURLToPath(new URL("../deno.json", import.meta.url));
  return [Deno.execPath(), "run", "--config", config, ...flags, main];
}

/** Program and first arguments that start whatever is running now. */
export function selfCommand(): string[] {
  return Deno.build.standalone ? [Deno.execPath()] : sourceCommand();
}
