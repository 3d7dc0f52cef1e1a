// `ui` as the command line declares it.
import type { Command } from "@commander-js/extra-typings";
import type { GlobalOptions } from "../global_options.ts";

/** Declares the command; `act` does it. */
export function declareUi(
  command: Command<[], GlobalOptions>,
  act: (own: GlobalOptions & { open: boolean }) => Promise<void>,
): void {
  command
    .description("Open Inkling in the browser, until Ctrl+C")
    .option("--no-open", "Only print the address, which works once")
    .action((own) => act(own));
}
