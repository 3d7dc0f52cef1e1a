// Checks a page with axe, in each theme, on a phone and on a wide screen.
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Page } from "playwright-core";

/** Each theme and each width once: a theme changes nothing but colors, and those are the same at each width. */
const LOOKS = [
  { width: 360, colorScheme: "light" },
  { width: 1_440, colorScheme: "dark" },
] as const;

/**
 * Asserts that axe finds no problem, not even a minor one, and that the page is not wider than the screen, as on a phone.
 */
export async function expectNoFault(page: Page, where: string): Promise<void> {
  if (!await page.evaluate("'axe' in window")) await page.evaluate(axe.source);
  for (const { width, colorScheme } of LOOKS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    // A fading element has no final colors yet. Only violations are requested: the complete report is large.
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
