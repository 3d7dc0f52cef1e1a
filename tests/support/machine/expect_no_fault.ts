// Checks the accessibility of a page with axe, in each theme, on a phone and on a wide screen.
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Page } from "playwright-core";

/**
 * The tested combinations contain each theme and each width once: themes differ only in colors, which are the same at each
 * width.
 */
const LOOKS = [
  { width: 360, colorScheme: "light" },
  { width: 1_440, colorScheme: "dark" },
] as const;

/** Asserts that axe finds no problem, including minor ones, and that the page is not wider than the screen. */
export async function expectNoFault(page: Page, where: string): Promise<void> {
  if (!await page.evaluate("'axe' in window")) await page.evaluate(axe.source);
  for (const { width, colorScheme } of LOOKS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    // Waits for fades, because a fading element has no final colors. Requests only violations, because the complete report
    // is large.
    const faults = await page.evaluate(`(async () => {
      const fading = document.getAnimations().filter(({ effect }) => effect.getTiming().iterations !== Infinity);
      await Promise.all(fading.map(({ finished }) => finished.catch(() => {})));
      const { violations } = await axe.run({ resultTypes: ["violations"] });
      const faults = violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" | "));
      const { scrollWidth } = document.documentElement;
      return scrollWidth > innerWidth ? [...faults, "the page is " + scrollWidth + " wide"] : faults;
    })()`);
    assert.deepEqual(faults, [], `${where}, ${colorScheme}, ${width}`);
  }
}
