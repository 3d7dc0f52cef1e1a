// What a person is asked with, and what they answer.
import type { Client } from "../../api/client/client.ts";
import type { RespondBody } from "../../api/schemas/request_schemas.ts";
import type { CliApp } from "../app.ts";
import type { Output } from "../output/output.ts";

/** An answer as the service takes it. */
export type Answer = RespondBody["response"];

/** What a person is asked with. */
export interface Asking {
  app: Pick<CliApp, "clock" | "input" | "editText">;
  output: Output;
  client: Client;
  /** Takes the question back. */
  signal: AbortSignal;
}

/** A denial with its reason; undefined when the person puts the question aside after all. */
export async function askWhyNot(
  { app, signal }: Pick<Asking, "app" | "signal">,
): Promise<Answer | undefined> {
  const reason = await app.input.prompter.text({
    message: "Why not? The agent reads your answer",
    placeholder: "Leave empty for no reason",
    signal,
  });
  if (reason === undefined) return undefined;
  return { approved: false, ...(reason.trim() !== "" && { reason }) };
}
