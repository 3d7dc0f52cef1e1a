// `setup` as the command line declares it.
import type { Command } from "@commander-js/extra-typings";
import type { GlobalOptions } from "../global_options.ts";

/** What may be given instead of an answer. */
export interface SetupOptions {
  yes?: true;
  provider?: string;
  model?: string;
  baseUrl?: string;
  apiKeyStdin?: true;
  test?: true;
  timeout?: string;
  maxToolCalls?: string;
  maxExecutionTokens?: string;
  maxCostUsd?: string;
  maxTokens?: string;
  temperature?: string;
}

/** Declares the command; `act` does it. */
export function declareSetup(
  command: Command<[], GlobalOptions>,
  act: (own: GlobalOptions & SetupOptions) => Promise<void>,
): void {
  command
    .description("Set up workspace, model and key; what is there already is kept")
    .option("-y, --yes", "Ask nothing: use these options, and what is set up already")
    .option("--provider <name>", "Who runs the models: openai, anthropic, ollama, ...")
    .option("--model <name>", "The model of agents that name none")
    .option("--base-url <url>", "The provider's address, for any OpenAI-compatible one")
    .option(
      "--api-key-stdin",
      "With --yes: read the key from standard input (others could see it as an argument)",
    )
    .option("--test", "With --yes: have the model answer once, or write nothing")
    .option("--timeout <seconds>", "How long to wait for one reply of the model")
    .option("--max-tool-calls <count>", 'Most tool calls of a run, or "none"')
    .option("--max-execution-tokens <count>", 'Most tokens of a run, or "none"')
    .option("--max-cost-usd <dollars>", 'Most that a run may cost, or "none"')
    .option("--max-tokens <count>", "Most tokens of one reply")
    .option("--temperature <number>", "From 0 to 1")
    .action((own) => act(own));
}
