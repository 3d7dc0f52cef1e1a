// Reads the stored log of an execution, for tests of the stores.
import type { Frame } from "../../../runtime/events/frame.ts";
import type { TestStore } from "../../support/test_store.ts";

/** Returns all frames of an execution with parsed payloads. */
export async function storedFrames(
  { frames }: TestStore,
  id: number,
): Promise<(Omit<Frame, "payload"> & { payload: Record<string, unknown> })[]> {
  const stored = await frames.readFrames(id, { after: 0, limit: -1, maxBytes: Infinity });
  return stored.frames.map((frame) => ({ ...frame, payload: JSON.parse(frame.payload) }));
}
