// An agent whose run logs as many frames as asked for, held back until somebody gives the word.
import type { TestWorkspace } from "../../tests/support/test_workspace.ts";

/** Results per reply: the most that run at once. */
const CALLS = 8;
/** Frames of one reply: the calls, the figures, the results. */
const FRAMES_PER_REPLY = CALLS + 2;
/** execution_info, system, human; ai, stats, final_answer, complete. */
const FRAMES_AROUND = 7;

/**
 * Writes agent `busy`: it waits `delayMs`, then logs about `frames` frames as fast as it can. Returns how many exactly.
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
