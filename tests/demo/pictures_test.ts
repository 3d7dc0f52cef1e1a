// The README's pictures: each exists, is small, and shows nothing of the machine that drew it. run_test.ts compares the
// words of the terminal's picture with the demo.
import assert from "node:assert/strict";
import { join } from "node:path";
import { drawTerminal, parseScreen, textOf } from "../../proof/pictures/terminal_picture.ts";
import { REPOSITORY } from "../support/repository.ts";

const FOLDER = join(REPOSITORY, "docs/pictures");
const MOST_BYTES = 300_000;
const NAMES = ["light", "dark"].flatMap((
  scheme,
) => [`page-${scheme}.png`, `terminal-${scheme}.svg`]);

Deno.test("pictures: the README shows each picture in light and dark, with at most 300 KB", async () => {
  const readme = await Deno.readTextFile(join(REPOSITORY, "README.md"));
  const found = [...Deno.readDirSync(FOLDER)].map(({ name }) => name);
  assert.deepEqual(found.toSorted(), NAMES.toSorted());
  for (const name of NAMES) {
    const { size } = await Deno.stat(join(FOLDER, name));
    assert.ok(size > 1_000 && size <= MOST_BYTES, `${name}: ${size} bytes`);
    assert.ok(readme.includes(`"docs/pictures/${name}"`), name);
  }
});

Deno.test("pictures: those of the terminal contain no local path, address or process id", async () => {
  for (const name of NAMES.filter((one) => one.endsWith(".svg"))) {
    const svg = await Deno.readTextFile(join(FOLDER, name));
    assert.doesNotMatch(svg, /\/(tmp|home|root|work|Users)\b|127\.0\.0\.1|PID|token=/, name);
  }
});

Deno.test("pictures: parseScreen() and drawTerminal() keep the terminal's styles, characters and columns", () => {
  const screen = "\x1b[1;32m✔ ok\x1b[0m a<b\n\x1b[2mdim\nstill\x1b[22m, no more\n🌱 x";
  const lines = parseScreen(screen);
  assert.deepEqual(lines.map(textOf), ["✔ ok a<b", "dim", "still, no more", "🌱 x"]);
  assert.deepEqual(lines[0]?.[0], { bold: true, color: "32", text: "✔ ok" });
  assert.deepEqual(lines[2]?.map(({ dim }) => dim), [true, false]);
  const [light, dark] = [drawTerminal(lines, "light"), drawTerminal(lines, "dark")];
  assert.match(light, / a&lt;b<\/text>/);
  // The plant is two cells wide.
  assert.match(light, /textLength="32"[^>]*>🌱 x</);
  assert.notEqual(light, dark);
});
