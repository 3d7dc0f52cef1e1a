// Checks the accessibility of a page with axe, in each theme, on a phone and on a wide screen.
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Page } from "playwright-core";

/** The theme and width with all rules. */
const PHONE = { width: 360, colorScheme: "light", only: null } as const;
/** The other theme and width, with the rules that depend on colors, sizes and visible elements. */
const WIDE = {
  width: 1_440,
  colorScheme: "dark",
  only: ["color-contrast", "link-in-text-block", "scrollable-region-focusable"],
} as const;
/** The theme and width of a part: all rules in the other theme. */
const PART = { ...PHONE, colorScheme: "dark" } as const;

/**
 * Asserts that axe finds no problem, including minor ones, and that the page is not wider than the screen. Checks a whole
 * page in each theme and each width once: themes differ only in colors, which are the same at each width. `part` is the
 * selector of the elements to check, if a test has checked the rest of the view before. A part is checked once.
 */
export async function expectNoFault(page: Page, where: string, part?: string): Promise<void> {
  if (!await page.evaluate("'axe' in window")) await page.evaluate(axe.source);
  const settings = part === undefined ? [PHONE, WIDE] : [PART];
  for (const { width, colorScheme, only } of settings) {
    const options = {
      resultTypes: ["violations"],
      ...(only !== null && { runOnly: { type: "rule", values: only } }),
    };
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    // Waits for fades, because a fading element has no final colors. Requests only violations, because the complete report
    // is large.
    const faults = await page.evaluate(`(async () => {
      const fading = document.getAnimations().filter(({ effect }) => effect.getTiming().iterations !== Infinity);
      await Promise.all(fading.map(({ finished }) => finished.catch(() => {})));
      const { violations } = await axe.run(${JSON.stringify(part ?? ":root")}, ${
      JSON.stringify(options)
    });
      const faults = violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" | "));
      const { scrollWidth } = document.documentElement;
      return scrollWidth > innerWidth ? [...faults, "the page is " + scrollWidth + " wide"] : faults;
    })()`);
    assert.deepEqual(faults, [], `${where}, ${colorScheme}, ${width}`);
  }
}
