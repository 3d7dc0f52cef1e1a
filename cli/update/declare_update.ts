// `update` as the command line declares it.
import { type Command, Option } from "@commander-js/extra-typings";
import type { UpdateOptions } from "../commands/update.ts";
import type { GlobalOptions } from "../global_options.ts";

/** Declares the command; `act` does it. */
export function declareUpdate(
  command: Command<[], GlobalOptions>,
  act: (own: GlobalOptions & UpdateOptions) => Promise<void>,
): void {
  command
    .description("Bring Inkling up to date")
    .option("--check", "Only tell whether there is a newer version")
    .addOption(
      new Option("--force", "Install what is offered, even if it is older or the same")
        .conflicts("check"),
    )
    .action((own) => act(own));
}
