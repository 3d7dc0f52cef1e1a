import assert from "node:assert/strict";
import fc from "fast-check";
import { LiveRegion } from "../../../cli/output/live_region.ts";
import { VirtualScreen } from "../virtual_screen.ts";

Deno.test("LiveRegion draws its lines, draws others in their place, and leaves no trace", () => {
  const screen = new VirtualScreen();
  const region = new LiveRegion(screen);
  screen.write("before\n");
  region.draw(["one", "two", "three"]);
  assert.equal(screen.text, "before\none\ntwo\nthree");
  region.draw(["four"]);
  assert.equal(screen.text, "before\nfour");
  region.draw([]);
  assert.equal(screen.text, "before");
  screen.write("after\n");
  assert.equal(screen.text, "before\nafter");
});

Deno.test("LiveRegion lets lines be written above it in one go: it is never away", () => {
  const screen = new VirtualScreen();
  const region = new LiveRegion(screen);
  region.draw(["moving", "line"]);
  region.writeAbove("a step\n");
  region.writeAbove("another\n");
  for (const picture of screen.pictures) assert.match(picture, /moving\nline$/);
  assert.equal(screen.text, "a step\nanother\nmoving\nline");
});

Deno.test("LiveRegion shows its lines anew when what stood in them is written above", () => {
  const screen = new VirtualScreen();
  const region = new LiveRegion(screen);
  let open = ["first", "second"];
  region.draw(open, () => open);
  open = ["second"];
  region.writeAbove("first\n");
  open = [];
  region.makeWay(() => screen.write("second\n"));
  assert.equal(screen.text, "first\nsecond");
  for (const picture of screen.pictures) assert.doesNotMatch(picture, /(first|second)[^]*\1/);
});

Deno.test("LiveRegion writes nothing when nothing changes", () => {
  const screen = new VirtualScreen();
  const region = new LiveRegion(screen);
  region.draw(["same"]);
  region.draw(["same"]);
  assert.equal(screen.pictures.length, 1);
});

Deno.test("LiveRegion makes way for another stream of the same terminal", () => {
  const screen = new VirtualScreen();
  const region = new LiveRegion(screen);
  region.makeWay(() => screen.write("nothing is shown yet\n"));
  region.draw(["moving"]);
  region.makeWay(() => screen.write("a note\n"));
  assert.equal(screen.text, "nothing is shown yet\na note\nmoving");
});

Deno.test("LiveRegion stays where it is when somebody else had the terminal", () => {
  const screen = new VirtualScreen();
  const region = new LiveRegion(screen);
  region.draw(["one", "two"]);
  screen.write("\n[1]+ Stopped\n");
  region.forget();
  region.draw(["three"]);
  assert.equal(screen.text, "one\ntwo\n[1]+ Stopped\nthree");
});

Deno.test("LiveRegion leaves what was written above it, and nothing else, whatever is drawn", () => {
  const lines = fc.array(fc.stringMatching(/^[a-z日🚀 ]{0,12}$/u), { maxLength: 5 });
  const action = fc.oneof(
    lines.map((lines) => ({ draw: lines })),
    fc.stringMatching(/^[a-z]{1,10}$/).map((text) => ({ above: text })),
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
