// An agent whose run logs a given number of frames, once it is released.
import type { TestWorkspace } from "../../tests/support/test_workspace.ts";

/** The results of each reply: the most that run at once. */
const CALLS = 8;
/** The frames of one reply: the calls, the figures, the results. */
const FRAMES_PER_REPLY = CALLS + 2;
/** execution_info, system, human; ai, stats, final_answer, complete. */
const FRAMES_AROUND = 7;

/**
 * Writes agent `busy`: it waits `delayMs`, then logs about `frames` frames as fast as it can. Returns their exact
 * number.
 */
export async function writeBusyAgent(
  workspace: TestWorkspace,
  options: { frames: number; delayMs: number },
): Promise<number> {
  const replies = Math.max(1, Math.round((options.frames - FRAMES_AROUND) / FRAMES_PER_REPLY));
  await Deno.writeTextFile(`${workspace.workspace}/note.txt`, "A note.\n");
  const steps: unknown[] = Array.from({ length: replies }, (_, reply) => ({
    ...(reply === 0 && { delay_ms: options.delayMs }),
    call: Array.from({ length: CALLS }, (_, n) => ({
      name: "file_read",
      arguments: { path: "note.txt", offset: n + 1 },
    })),
  }));
  const settings = "settings: { max_tool_calls: null, max_execution_tokens: null, " +
    "loop_detection: false, timeout: 3600 }";
  await workspace.writeScript("busy", [...steps, { say: "Done." }], settings);
  return replies * FRAMES_PER_REPLY + FRAMES_AROUND;
}
