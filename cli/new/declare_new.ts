// `new` as the command line declares it.
import { type Command, Option } from "@commander-js/extra-typings";
import type { GlobalOptions } from "../global_options.ts";

/** What may be given instead of an answer. */
export interface NewOptions {
  template?: true;
  description?: string;
  provider?: string;
  model?: string;
  baseUrl?: string;
  every?: string;
  cron?: string;
  watch?: string[];
  path?: string[];
  prompt?: string;
}

/** Declares the command; `act` does it. */
export function declareNew(
  command: Command<[], GlobalOptions>,
  act: (name: string, own: GlobalOptions & NewOptions) => Promise<void>,
): void {
  command
    .description("Make an agent: the model writes it, or you answer questions")
    .argument("<name>", "Its id: letters, digits, spaces, hyphens, underscores")
    .option("-t, --template", "Answer questions; no model writes it")
    .option("--description <text>", "What it is for")
    .option("--prompt <text>", 'Its task ("-": from standard input); nothing is asked then')
    .option("--provider <name>", "Who runs its model (default: config.yaml's)")
    .option("--model <name>", "Its model (default: config.yaml's)")
    .option("--base-url <url>", "The provider's address, where its name does not say it")
    .addOption(
      new Option("--every <interval>", "Run it again and again: 30m, 1h30m, 1d").conflicts([
        "cron",
        "watch",
      ]),
    )
    .addOption(
      new Option("--cron <expression>", 'Run it by the clock: "30 8 * * 1-5"').conflicts("watch"),
    )
    .option("--watch <path>", "Run it when this changes; may be repeated", collect)
    .option("--path <path>", "A file or folder it may use; may be repeated", collect)
    .action((name, own) => act(name, own));
}

function collect(value: string, earlier: string[] | undefined): string[] {
  return [...earlier ?? [], value];
}
