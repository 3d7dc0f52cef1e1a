// Writes an agent whose run waits and then logs a given number of frames.
import type { TestWorkspace } from "../../tests/support/test_workspace.ts";

/** The number of tool calls in each reply, which is the maximum that runs in parallel. */
const CALLS = 8;
/** The frames of one reply: one for the calls, one for the usage, and one for each result. */
const FRAMES_PER_REPLY = CALLS + 2;
/**
 * The other frames of the execution: execution_info, system and human before the replies, and ai, stats, final_answer and
 * complete after them.
 */
const FRAMES_AROUND = 7;

/**
 * Writes the agent `busy`, which waits `delayMs` milliseconds and then logs about `frames` frames as fast as possible.
 * Returns the exact number of frames.
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
