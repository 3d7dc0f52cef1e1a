// Tests the pages of frames: their start and their limits of number and size.
import assert from "node:assert/strict";
import fc from "fast-check";
import { appendFrames } from "../../../runtime/storage/frames.ts";
import { IS_POSTGRES } from "../../support/test_database.ts";
import { openTestStore } from "../../support/test_store.ts";
import { storedFrames } from "./stored_frames.ts";

Deno.test("SqlFrameStore.readFrames() stops at the limits of number and bytes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 2, max: 40 }), { maxLength: 60 }),
      fc.record({
        skip: fc.nat(60),
        limit: fc.oneof(fc.constant(-1), fc.integer({ min: 1, max: 60 })),
        maxBytes: fc.oneof(fc.constant(Infinity), fc.nat(1_500)),
      }),
      async (lengths, { skip, limit, maxBytes }) => {
        await using store = await openTestStore();
        const other = await store.accept();
        const { id } = await store.accept();
        for (const length of lengths) {
          const payload = JSON.stringify("x".repeat(length - 2));
          // Frames of another execution have ids in between.
          for (const one of [id, other.id]) {
            await store.db.change("power", () => appendFrames(one, [{ event: "ai", payload }]));
          }
        }
        const all = await storedFrames(store, id);
        assert.equal(all.length, lengths.length + 1);
        const after = all[skip - 1]?.id ?? 0;
        const expected: number[] = [];
        let bytes = 0;
        for (const frame of all.filter((one) => one.id > after)) {
          bytes += new TextEncoder().encode(JSON.stringify(frame.payload)).length;
          if (expected.length === limit || (expected.length > 0 && bytes > maxBytes)) break;
          expected.push(frame.id);
        }
        const page = await store.frames.readFrames(id, { after, limit, maxBytes });
        assert.deepEqual(page.frames.map((frame) => frame.id), expected);
        assert.ok(page.frames.every((frame) => frame.executionId === id));
        const isComplete = (expected.at(-1) ?? after) >= (all.at(-1)?.id ?? 0);
        assert.equal(page.isEnd, isComplete && expected.length !== limit);
      },
    ),
    { numRuns: IS_POSTGRES ? 5 : 20, examples: [[[2], { skip: 0, limit: 2, maxBytes: 262 }]] },
  );
});
