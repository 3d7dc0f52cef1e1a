// Texts with invisible characters, and normal texts with similar characters. The terminal and the dashboard must show them
// alike.

/** Texts with invisible characters, each with the text that a person sees. */
export const UNSEEN_TEXTS: readonly (readonly [text: string, shown: string])[] = [
  ["rm\u200b -rf", "rm\\u200b -rf"],
  ["a\u2028b\u2029c", "a\\u2028b\\u2029c"],
  ["pay\u00ad100", "pay\\u00ad100"],
  ["x\u{e0041}", "x\\udb40\\udc41"],
  ["\ufeffz", "\\ufeffz"],
  ["a\u200eb\u200fc\u061cd", "a\\u200eb\\u200fc\\u061cd"],
  ["photo\u202egnp.exe\u2066", "photo\\u202egnp.exe\\u2066"],
  ["\u0000\u001b[2J\u007f\u0085\u009b", "\\u0000\\u001b[2J\\u007f\\u0085\\u009b"],
  ["half \ud800 \udc00", "half \\ud800 \\udc00"],
  // Joiners and variation selectors that have no effect here.
  ["pay\u200dpal\u200c\u2060", "pay\\u200dpal\\u200c\\u2060"],
  ["a\ufe0fb\u{e0100}1\ufe0f", "a\\ufe0fb\\udb40\\udd001\\ufe0f"],
  ["\u{1f600}\ufe0f\ufe0f", "\u{1f600}\ufe0f\\ufe0f"],
  // Variation selectors and joiners after letters of their own scripts, but without an effect.
  ["\u1820\u180b\u180b", "\u1820\u180b\\u180b"],
  ["\u061c\u200d", "\\u061c\\u200d"],
  // Hangul fillers, which count as letters, and the combining grapheme joiner.
  ["a\u115f\u1160\u3164\uffa0\u034f", "a\\u115f\\u1160\\u3164\\uffa0\\u034f"],
];

/** Texts that are shown unchanged. */
export const WRITTEN_TEXTS: readonly string[] = [
  // A family, an astronaut with a skin colour, a burning heart.
  "\u{1f469}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}",
  "\u{1f469}\u{1f3fd}\u200d\u{1f680} \u2764\ufe0f\u200d\u{1f525}",
  // The flags of Germany and of pirates, the rainbow flag.
  "\u{1f1e9}\u{1f1ea} \u{1f3f4}\u200d\u2620\ufe0f \u{1f3f3}\ufe0f\u200d\u{1f308}",
  // A key, and a telephone in black and white.
  "1\ufe0f\u20e3 \u260e\ufe0e",
  // Hebrew, Persian with a non-joiner, Hindi with a joiner, Chinese with a variant.
  "\u05e9\u05dc\u05d5\u05dd",
  "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
  // A Persian suffix after a Latin word and after a bracket.
  "PDF\u200c\u0647\u0627 (API)\u200c\u0647\u0627",
  "\u0915\u094d\u200d\u0937",
  "\u845b\u{e0100}\u57ce",
  "gr\u00f6\u00dfe e\u0301 100\u00a0%",
];
