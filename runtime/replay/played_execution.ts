// Stores the execution of a play in the play's empty store, and wraps stores so that a function runs before each call's
// result is stored.
import type { Redactor } from "../secrets/redactor.ts";
import type { ConversationStore, RecordedResult } from "../executions/record/conversation_store.ts";
import type { StoredRun } from "../executions/record/execution_reads.ts";
import type { Message, UserMessage } from "../models/message.ts";
import { createInfoFrame, placeGiven } from "../executions/runs/acceptance.ts";
import type { JsonObject } from "../../base/json.ts";
import type { RecordedRun } from "../executions/record/recorded_run.ts";
import type { Cassette } from "./cassette.ts";
import type { PlayStores } from "./play_options.ts";

/** Stores the execution of a cassette's run, without a parent. */
export async function acceptPlayed(
  { agent, trigger, session_id: sessionId, request: asked, seed }: Cassette,
  { stores, redactor, startedAt }: {
    stores: Pick<PlayStores, "acceptances">;
    redactor: Redactor;
    startedAt: number;
  },
): Promise<StoredRun> {
  const { args, message, context, cause, brought } = asked;
  const request: StoredRun["request"] = {
    args,
    ...(message !== undefined && { message }),
    ...(context !== undefined && { context }),
    ...(cause !== undefined && { cause }),
    ...(brought && {
      brought: { digest: brought.digest, ...(brought.isHistory && { isHistory: true }) },
    }),
  };
  const accepted = await stores.acceptances.acceptExecution({
    agentId: agent.id,
    displayName: agent.name,
    trigger,
    parentExecutionId: null,
    parentPosition: null,
    depth: 0,
    sessionId,
    request,
    model: agent.model,
    startedAt,
  }, {
    unlessWaiting: false,
    ...(brought && {
      given: placeGiven(
        [...(brought.isHistory ? seed : []), brought.turn] as unknown as Message[],
      ),
    }),
    frames: (execution) => [createInfoFrame(execution, { redactor, at: startedAt })],
  });
  if (!("execution" in accepted)) throw new TypeError("An empty store refuses no execution");
  return { execution: accepted.execution, request };
}

/** Returns a user message with the pictures of the run's user turn and their description. */
export function picturesOf({ messages }: RecordedRun): JsonObject {
  const turn = messages.find(({ message, seeded }) => message.role === "user" && !seeded)?.message;
  const [content] = /(?:\n\n\[picture [^\]\n]*\])*$/.exec(turn?.content ?? "") ?? [""];
  const { media } = turn as UserMessage;
  return { role: "user", content, ...(media && { media: media.map((one) => ({ ...one })) }) };
}

/** Wraps the store so that `before` runs before each call's result is stored. */
export function onFinish(
  store: ConversationStore,
  before: (result: RecordedResult) => Promise<void>,
): ConversationStore {
  const finishCall: ConversationStore["finishCall"] = async (id, result) => {
    await before(result);
    await store.finishCall(id, result);
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === "finishCall") return finishCall;
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
