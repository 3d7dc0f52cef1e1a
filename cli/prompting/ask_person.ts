// Putting the question of an execution to the person at the terminal.
import type { PendingBody, RespondBody } from "../../server/schemas/request_schemas.ts";
import type { CommandContext } from "../context.ts";
import type { Prompter } from "./input.ts";
import type { Output } from "../output/output.ts";
import { formatRequest, promptMessage } from "../output/requests.ts";
import { toVisibleLine } from "../output/visible_text.ts";
import { wrapExactly } from "../output/wrap.ts";

/** An answer as the service takes it. */
export type Answer = RespondBody["response"];

/** Whether there is a person at both ends: one who reads the question and can answer it. */
export function hasPerson({ app, output }: CommandContext): boolean {
  const { stdout } = output;
  return app.input.isTerminal && stdout.isTerminal && !stdout.isDumb;
}

/** The person's answer; undefined when they put the question aside. Rejects with Interrupted at Ctrl+C. */
export async function askPerson(
  pending: PendingBody,
  options: { output: Output; prompter: Prompter; signal: AbortSignal },
): Promise<Answer | undefined> {
  const { output, prompter, signal } = options;
  const request = formatRequest(pending, output.style);
  if (request !== "") output.line(`\n${wrapExactly(request, output.stdout.columns)}`);
  const message = promptMessage(pending);
  switch (pending.kind) {
    case "confirm": {
      const approved = await prompter.confirm({ message: message ?? "Allow it?", signal });
      if (approved === undefined || approved) return approved && { approved };
      const reason = await prompter.text({
        message: "Why not? The agent reads your answer",
        placeholder: "Leave empty for no reason",
        signal,
      });
      if (reason === undefined) return undefined;
      return { approved, ...(reason.trim() !== "" && { reason }) };
    }
    case "input": {
      const text = await prompter.text({ message: message ?? "Your answer", signal });
      return text === undefined ? undefined : { text };
    }
    case "choice": {
      const list = { message: message ?? "Your choice", choices: toChoices(pending), signal };
      if (pending.multi) {
        const selected = await prompter.multiselect(list);
        return selected === undefined ? undefined : { selected };
      }
      const one = await prompter.select(list);
      return one === undefined ? undefined : { selected: [one] };
    }
    default:
      return pending.kind satisfies never;
  }
}

function toChoices({ options }: PendingBody): { value: string; label: string }[] {
  return (options ?? []).map((value) => ({ value, label: toVisibleLine(value) }));
}
