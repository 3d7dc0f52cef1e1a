// Asks the user the question of a waiting execution at the terminal.
import type { PendingBody } from "../../api/schemas/request_schemas.ts";
import type { CommandContext } from "../context/context.ts";
import { type Answer, askDenial, type Asking } from "./asking.ts";
import { signInServerOf } from "../../present/asked_sign_in.ts";
import { formatRequest, promptMessage } from "../output/requests.ts";
import { toVisibleLine } from "../../present/visible_text.ts";
import { wrapExactly } from "../output/wrap.ts";

/** Returns whether the user can be asked questions: input and output are a terminal that can move its cursor. */
export function hasPerson({ app, output }: CommandContext): boolean {
  const { stdout } = output;
  return app.input.isTerminal && stdout.isTerminal && !stdout.isDumb;
}

/**
 * Asks the question and returns the answer. Returns undefined if the user skips the question with Esc or Ctrl+D. Rejects
 * with Interrupted at Ctrl+C.
 */
export async function askPerson(
  pending: PendingBody,
  asking: Asking,
): Promise<Answer | undefined> {
  const { app: { input: { prompter } }, output, signal } = asking;
  if (pending.kind === "confirm" && pending.is_guard) {
    const { askPermission } = await import("./ask_permission.ts");
    return await askPermission(pending, asking);
  }
  const request = formatRequest(pending, output.style);
  if (request !== "") output.line(`\n${wrapExactly(request, output.stdout.columns)}`);
  const message = promptMessage(pending);
  switch (pending.kind) {
    case "confirm": {
      if (signInServerOf(pending) !== undefined) {
        // Only a sign-in continues the runs that wait for it.
        const givesUp = await prompter.confirm({ message: "Give up?", initial: false, signal });
        return givesUp ? { approved: false } : undefined;
      }
      const approved = await prompter.confirm({ message: message ?? "Allow it?", signal });
      if (approved === undefined || approved) return approved && { approved };
      return await askDenial(asking);
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
