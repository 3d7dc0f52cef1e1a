// `deno task pictures`: runs the demo at a terminal and draws the README's pictures of the terminal and of the page.
import { join } from "node:path";
import { openTestBrowser } from "../../tests/support/machine/browser.ts";
import { REPOSITORY } from "../../tests/support/repository.ts";
import { WatchedDemo } from "../../tests/demo/watched_demo.ts";
import { drawTerminal, parseScreen, type Piece, type Scheme, textOf } from "./terminal_picture.ts";

const FOLDER = join(REPOSITORY, "docs/pictures");
const SCHEMES: readonly Scheme[] = ["light", "dark"];
/**
 * The parts of the demo's output that the picture shows. A part begins with a line that matches its first pattern, and ends
 * before a line that matches the second.
 */
const PARTS = [
  [/^\$ inkling run editor$/, /^report\.md, which/],
  [/^\$ echo Hello/, /^What has happened$/],
  [/^\$ inkling list$/, /^(Unattended:|An agent with a schedule)/],
] as const;

/** Returns the lines of the parts. Throws Error if the demo does not print a part. */
function selectLines(lines: readonly Piece[][]): Piece[][] {
  const texts = lines.map(textOf);
  return PARTS.flatMap(([first, end], index) => {
    const from = texts.findIndex((line) => first.test(line));
    let to = texts.findIndex((line, at) => at > from && end.test(line));
    if (from < 0 || to < 0) throw new Error(`The demo does not print ${from < 0 ? first : end}`);
    while (texts[to - 1] === "") to--;
    return [...index === 0 ? [] : [[]], ...lines.slice(from, to)];
  });
}

async function drawPage(address: URL): Promise<void> {
  await using opened = await openTestBrowser();
  const context = await opened.browser.newContext({
    viewport: { width: 1_200, height: 890 },
    deviceScaleFactor: 1.5,
    reducedMotion: "reduce",
    locale: "en-US",
  });
  const page = await context.newPage();
  await page.goto(address.href);
  await page.getByText("watering.md").first().waitFor();
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(FOLDER, `page-${colorScheme}.png`) });
  }
  await context.close();
}

await using demo = await WatchedDemo.start(() => Promise.resolve({ NO_COLOR: "" }));
await demo.untilOffer();
const lines = selectLines(parseScreen(await demo.terminal.read({ colors: true })));
for (const scheme of SCHEMES) {
  await Deno.writeTextFile(join(FOLDER, `terminal-${scheme}.svg`), drawTerminal(lines, scheme));
}
await drawPage(await demo.openPage());
await demo.terminal.press("C-c");
await demo.endsWith(0);
for (const { name } of Deno.readDirSync(FOLDER)) {
  const { size } = await Deno.stat(join(FOLDER, name));
  console.log(`docs/pictures/${name}: ${Math.ceil(size / 1_000)} KB`);
}
