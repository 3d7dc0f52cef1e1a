// One turn: asks the model and passes its text on as it streams. Retries and time limits are the model's decorators.
import type { ModelReply } from "../models/model.ts";
import type { Run } from "./run.ts";

/** The model's reply to the conversation so far. Throws ModelError, ReplyTimeout, or the run's stop reason. */
export async function takeTurn(run: Run): Promise<ModelReply> {
  const { temperature, maxTokens } = run.agent.settings;
  const shown = run.openReply();
  const stream = run.model.generate({
    messages: run.conversation.messages(),
    tools: run.toolbox.descriptions(),
    temperature,
    maxTokens,
  }, { signal: run.signal });
  for (;;) {
    const step = await stream.next();
    if (step.done) return step.value;
    if (step.value.type === "text") shown.push(step.value.text);
    if (step.value.type === "restart") shown.restart();
  }
}
