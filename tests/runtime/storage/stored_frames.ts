// The log of an execution as it is stored, for tests of the stores.
import type { Frame } from "../../../runtime/events/frame.ts";
import type { TestStore } from "../../support/test_store.ts";

/** All frames of an execution, their payloads parsed. */
export async function storedFrames(
  { frames }: TestStore,
  id: number,
): Promise<(Omit<Frame, "payload"> & { payload: Record<string, unknown> })[]> {
  const stored = await frames.readFrames(id, { after: 0, limit: -1, maxBytes: Infinity });
  return stored.map((frame) => ({ ...frame, payload: JSON.parse(frame.payload) }));
}
