// The types of questions at the terminal and of their answers.
import type { Client } from "../../api/client/client.ts";
import type { RespondBody } from "../../api/schemas/request_schemas.ts";
import type { CliApp } from "../context/app.ts";
import type { Output } from "../output/output.ts";

/** An answer as the service takes it. */
export type Answer = RespondBody["response"];

/** The collaborators of a question. */
export interface Asking {
  app: Pick<CliApp, "clock" | "input" | "editText">;
  output: Output;
  client: Client;
  /** Closes the prompt. */
  signal: AbortSignal;
}

/** Asks for the reason and returns the denial, or undefined if the user leaves the question open. */
export async function askDenial(
  { app, signal }: Pick<Asking, "app" | "signal">,
): Promise<Answer | undefined> {
  const reason = await app.input.prompter.text({
    message: "Reason for the denial, which the agent reads",
    placeholder: "Leave empty for no reason",
    signal,
  });
  if (reason === undefined) return undefined;
  return { approved: false, ...(reason.trim() !== "" && { reason }) };
}
