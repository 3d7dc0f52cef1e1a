// What axe finds at a page, in each theme, on a phone and on a wide screen.
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Page } from "playwright-core";

/** A theme changes nothing but colours: the other rules are asked in one of them. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

const LOOKS = [360, 1_440].flatMap((width) => [
  { width, colorScheme: "light" as const, options: {} },
  { width, colorScheme: "dark" as const, options: { runOnly: COLOUR_RULES } },
]);

/** That axe finds nothing, however slight, and that the page is not wider than the screen, as it stands now, in each look. */
export async function expectNoFault(page: Page, where: string): Promise<void> {
  if (!await page.evaluate("'axe' in window")) await page.evaluate(axe.source);
  for (const { width, colorScheme, options } of LOOKS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    // What fades in or out has no colours to look at yet. Only what is wrong is asked for: all that is right takes as long again.
    const faults = await page.evaluate(`(async () => {
      const fading = document.getAnimations().filter(({ effect }) => effect.getTiming().iterations !== Infinity);
      await Promise.all(fading.map(({ finished }) => finished.catch(() => {})));
      const options = ${JSON.stringify({ ...options, resultTypes: ["violations"] })};
      const { violations } = await axe.run(options);
      const faults = violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" | "));
      const { scrollWidth } = document.documentElement;
      return scrollWidth > innerWidth ? [...faults, "the page is " + scrollWidth + " wide"] : faults;
    })()`);
    assert.deepEqual(faults, [], `${where}, ${colorScheme}, ${width}`);
  }
}
