// The stores of a play: empty and in memory. The play's execution is stored there first.
import type { Clock } from "../../base/clock.ts";
import type { Agent } from "../agents/agent.ts";
import type { FrameStore } from "../events/frame_store.ts";
import type { Execution } from "../executions/execution.ts";
import type { AcceptanceStore, NewExecution } from "../executions/record/acceptance_store.ts";
import type { ExecutionReads } from "../executions/record/execution_reads.ts";
import type { FamilyStore } from "../executions/record/family_store.ts";
import type { JournalStores } from "../executions/record/journal_ports.ts";
import { messagesOf, type RecordedRun } from "../executions/record/recorded_run.ts";
import type { RestStore } from "../executions/record/ending_store.ts";
import { type RunSpec, toAcceptance } from "../executions/runs/acceptance.ts";
import type { Message, UserMessage } from "../models/message.ts";
import type { Redactor } from "../secrets/redactor.ts";

/** Empty stores in memory, in which a run is played. */
export interface PlayStores extends JournalStores, Disposable {
  acceptances: AcceptanceStore;
  executions: Pick<ExecutionReads, "readExecution">;
  families: FamilyStore;
  rests: RestStore;
  frames: FrameStore;
}

/** Stores the execution of a play. `recorded` are facts of the recorded run that the agent may have changed since. */
export async function acceptPlayed(
  agent: Agent,
  spec: RunSpec,
  { stores, clock, redactor, recorded }: {
    stores: Pick<PlayStores, "acceptances">;
    clock: Clock;
    redactor: Redactor;
    recorded?: Pick<NewExecution, "displayName" | "model">;
  },
): Promise<Execution> {
  const [execution, terms] = toAcceptance(agent, spec, { clock, redactor, budgetsOf: () => [] });
  const accepted = await stores.acceptances.acceptExecution({ ...execution, ...recorded }, terms);
  if (!("execution" in accepted)) throw new TypeError("An empty store refuses no execution");
  return accepted.execution;
}

/** Returns the spec of a recorded run, without a parent. */
export function toPlayedSpec(run: RecordedRun): RunSpec {
  const { trigger, sessionId } = run.execution;
  const { fork: _fork, editorFolder: _folder, trial: _trial, ...request } = run.request;
  const given = request.brought &&
    [...(request.brought.isHistory ? seedOf(run) : []), picturesOf(run)];
  return { trigger, sessionId, request, ...(given && { given }) };
}

/** Returns the messages of earlier runs, as they were sent to the model. */
export function seedOf({ messages }: RecordedRun): Message[] {
  return messagesOf(messages.filter(({ seeded }) => seeded));
}

/** Returns a user message with the pictures of the run's user turn and their description. */
function picturesOf({ messages }: RecordedRun): UserMessage {
  const turn = messages.find(({ message, seeded }) => message.role === "user" && !seeded)?.message;
  const [content] = /(?:\n\n\[picture [^\]\n]*\])*$/.exec(turn?.content ?? "") ?? [""];
  const { media } = turn as UserMessage;
  return { role: "user", content, ...(media && { media }) };
}
