// `permissions` as the command line declares it.
import { type Command, Option } from "@commander-js/extra-typings";
import type { PermissionsOptions } from "../commands/permissions.ts";
import type { GlobalOptions } from "../global_options.ts";

/** Declares the command; `act` does it. */
export function declarePermissions(
  command: Command<[], GlobalOptions>,
  act: (own: GlobalOptions & PermissionsOptions) => Promise<void>,
): void {
  command
    .description("Print the narrowest Deno flags under which the service works, and why each")
    .option("--command", "Print only the command that starts the service so, for a shell")
    .option("--host <name>", "The address that start is told to listen on")
    .addOption(new Option("--json", "Print JSON").conflicts("command"))
    .action((own) => act(own));
}
