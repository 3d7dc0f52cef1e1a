// Simulates the people who watch the random agents of mix.ts. They answer questions and sometimes cancel a run.
import type { HumanAnswer } from "../../runtime/executions/human_request.ts";
import { isFinal } from "../../runtime/executions/states.ts";
import type { Runtime } from "../../runtime/interface/runtime.ts";
import type { Draw } from "./mix.ts";

/** Answers the questions of open runs, sometimes cancels a run, and removes ended runs from `open`. */
export async function attendRuns(runtime: Runtime, open: Set<number>, draw: Draw): Promise<void> {
  for (const id of open) {
    const { status } = await runtime.getExecution(id);
    if (isFinal(status)) open.delete(id);
    else if (draw() < 0.003) await runtime.cancel(id);
    else if (status === "waiting") await answer(runtime, id, draw);
  }
  await new Promise((resolve) => setTimeout(resolve, 2));
}

async function answer(runtime: Runtime, id: number, draw: Draw): Promise<void> {
  try {
    const { requestId, kind, options } = await runtime.pendingRequest(id);
    const chosen = options?.[Math.floor(draw() * options.length)];
    const given: HumanAnswer = kind === "input"
      ? { text: `Answer ${Math.floor(draw() * 9)}` }
      : kind === "choice"
      ? { selected: [chosen ?? ""] }
      : { approved: draw() < 0.7, ...(draw() < 0.5 && { reason: "Because" }) };
    await runtime.respond(id, { requestId, answer: given });
  } catch (error) {
    // Ignore these refusals: all ancestors of a delegated run show its question, and another answer was first.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "conflict" && code !== "not_found") throw error;
  }
}
