// What people do to the runs of the mix: they answer what is asked, and cancel now and then.
import type { HumanAnswer } from "../../runtime/executions/human_request.ts";
import { isFinal } from "../../runtime/executions/states.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Draw } from "./mix.ts";

/** Answers what is asked, cancels now and then, forgets what has ended. */
export async function lookAt(runtime: Runtime, open: Set<number>, draw: Draw): Promise<void> {
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
    // Meanwhile it went on: the question of a delegated run is asked by all above it, and one of the answers counts.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "conflict" && code !== "not_found") throw error;
  }
}
