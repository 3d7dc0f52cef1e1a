// One turn: asks the model, passes its text on as it streams, keeps to the time one reply may take.
import type { ModelReply } from "../models/model.ts";
import type { Run } from "./run.ts";

/** The model did not answer in time. */
export class ReplyTimeout extends Error {
  override readonly name = "ReplyTimeout";
}

/** The model's reply to the conversation so far. Throws ModelError, ReplyTimeout, or the run's stop reason. */
export async function takeTurn(run: Run): Promise<ModelReply> {
  const { settings } = run.agent;
  const limit = new AbortController();
  const timer = new AbortController();
  const signal = AbortSignal.any([run.signal, limit.signal]);
  const timeout = run.clock.sleep(settings.timeout * 1000, timer.signal).then(
    () => limit.abort(new ReplyTimeout(`Timeout after ${settings.timeout}s`)),
    () => {/* The reply came in time. */},
  );
  try {
    const stream = run.model.generate({
      messages: run.conversation.messages(),
      tools: run.toolbox.descriptions(),
      temperature: settings.temperature,
      maxTokens: settings.maxTokens,
    }, { signal });
    for (;;) {
      const step = await stream.next();
      if (step.done) return step.value;
      if (step.value.type === "text") run.journal.delta(step.value.text);
    }
  } finally {
    timer.abort();
    await timeout;
  }
}
