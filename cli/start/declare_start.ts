// `start` as the command line declares it.
import { type Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import type { StartOptions } from "../commands/start.ts";
import type { GlobalOptions } from "../global_options.ts";
import { UNIT_KINDS } from "./unit.ts";

/** Declares the command; `act` does it. */
export function declareStart(
  command: Command<[], GlobalOptions>,
  act: (own: GlobalOptions & StartOptions) => Promise<void>,
): void {
  command
    .description("Start the service")
    .option("-d, --daemon", "Start it in the background and return when it is ready")
    .option("--keep-alive", "Never stop for want of work (else after 5 minutes)")
    .option("--port <number>", "Listen on TCP too; needs a key", parsePort)
    .option("--host <name>", "The address to listen on (default: 127.0.0.1)")
    .option("--api-key <key>", "The key of TCP clients (or: INKLING_API_KEY)")
    .addOption(
      new Option(
        "--print-unit [kind]",
        "Start nothing: print a file that has systemd or launchd start it so",
      ).choices(UNIT_KINDS).conflicts(["daemon", "apiKey"]),
    )
    .action((own) => act(own));
}

function parsePort(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65_535) {
    throw new InvalidArgumentError("It must be a port number from 0 (any free one) to 65535.");
  }
  return value;
}
