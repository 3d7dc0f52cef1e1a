// The user turn: what opens a run.
import type { Trigger } from "../agents/agent.ts";

/** What the turn is made of. */
export interface UserTurnOptions {
  trigger: Trigger;
  /** Replaces the turn. */
  message?: string;
  context?: string;
  args: readonly string[];
  /** Whether the task itself has taken up the arguments. */
  argumentsUsed: boolean;
}

/** The turn of a run that a person, a program or another agent started. */
export function createUserTurn(options: UserTurnOptions): string {
  const { trigger, message, context, args } = options;
  const parts: string[] = [];
  let contextTold = false;
  if (message !== undefined) {
    parts.push(message);
  } else if (trigger.input !== undefined) {
    // A template that leaves the context out gets it appended all the same: somebody sent it.
    contextTold = trigger.input.includes("{context}");
    parts.push(trigger.input.replaceAll("{context}", () => context ?? ""));
  } else {
    parts.push("Execute your task.");
  }
  if (args.length > 0 && !options.argumentsUsed) {
    parts.push(`Arguments:\n${args.join("\n")}`);
  }
  if (context !== undefined && context !== "" && !contextTold) parts.push(`Context:\n${context}`);
  return parts.join("\n\n");
}
