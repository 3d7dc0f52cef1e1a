// The types of questions and answers at the terminal, and the question for the reason of a denial.
import type { Client } from "../../api/client/client.ts";
import type { RespondBody } from "../../api/schemas/request_schemas.ts";
import type { CliApp } from "../context/app.ts";
import type { Output } from "../output/output.ts";

/** An answer to a question, in the form that the service accepts. */
export type Answer = RespondBody["response"];

/** The objects that a question at the terminal needs. */
export interface Asking {
  app: Pick<CliApp, "clock" | "input" | "editText">;
  output: Output;
  client: Client;
  /** Closes the prompt when it aborts. */
  signal: AbortSignal;
}

/** Asks for the reason of a denial and returns the denial. Returns undefined if the user skips this question. */
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
