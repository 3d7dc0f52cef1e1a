import assert from "node:assert/strict";
import fc from "fast-check";
import { LiveRegion } from "../../../cli/output/live_region.ts";
import { VirtualScreen } from "../virtual_screen.ts";
import { LETTERS, textOf } from "../../support/any_text.ts";

Deno.test("LiveRegion stays below the output of other programs after a stop", () => {
  const screen = new VirtualScreen();
  const region = new LiveRegion(screen);
  region.draw(["one", "two"]);
  screen.write("\n[1]+ Stopped\n");
  region.forget();
  region.draw(["three"]);
  assert.equal(screen.text, "one\ntwo\n[1]+ Stopped\nthree");
  region.forget();
  region.draw([]);
  assert.equal(screen.text, "one\ntwo\n[1]+ Stopped");
});

Deno.test("LiveRegion leaves only the text written above it", () => {
  const lines = fc.array(textOf(`${LETTERS}日🚀 `, { maxLength: 12 }), { maxLength: 5 });
  const action = fc.oneof(
    lines.map((lines) => ({ draw: lines })),
    textOf(LETTERS, { minLength: 1, maxLength: 10 }).map((text) => ({ above: text })),
  );
  fc.assert(fc.property(fc.array(action, { maxLength: 20 }), (actions) => {
    const screen = new VirtualScreen({ columns: 40 });
    const region = new LiveRegion(screen);
    const written: string[] = [];
    for (const one of actions) {
      if ("draw" in one) {
        region.draw(one.draw);
      } else {
        written.push(one.above);
        region.writeAbove(`${one.above}\n`);
      }
    }
    region.draw([]);
    assert.equal(screen.text, written.join("\n"));
    assert.equal(screen.row, written.length);
  }));
});
