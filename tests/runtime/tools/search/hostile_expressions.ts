// Expressions that take exponential or quadratic time in an engine that backtracks, or many states in one that does not.

/** 40 expressions. None matches a line of HOSTILE_LINES, so the whole text is searched. */
// deno-fmt-ignore
export const HOSTILE_EXPRESSIONS: readonly string[] = [
  "^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(a*)*$", "^([a-z]+)*$", "^(\\w+\\s?)*$", "^(.*a){20}$",
  "(a+)+[#%]", "(a|ab|b)*[#%]", "(.*)*[#%]", "(x+x+)+[yz]", "(.*,){11}[PQ]", "(\\d+)*[.#]",
  "^(([a-z])+.)+[A-Z]([a-z])+$", "(a?){30}a{30}[#%]", "(\\w+)*[#%]", ".*.*.*.*.*[=#]",
  "(?:.*,){50}[PQ]", "[ab]*a[ab]{12}[#%]", "(a|b)*a(a|b){12}[cd]", "(a|b)*a(a|b){16}[#%]",
  "[a-z]{500}[0-9]#", "(a.{200}b)+[#%]", "(.{1,50}){9}[#%]", "a{1,500}[#%]",
  "\\b(\\w+)\\b.*\\b(\\w+)\\b.*[#%]", "(foo|fo|f)*[#%]", "(\\p{L}|\\p{Lu})*[#%]", "(?i)(a+)+[#%]",
  "((a+)+)+[#%]", "(a+|b+|c+)*[#%]", "^(a|b|ab)*[#%]", "(.+)+[#%]", "([a-z]*[0-9]*)*[#%]",
  "(\\s*\\w+\\s*)*[#%]", "^(?:a?a?a?a?a?a?a?a?)*[#%]", "(a{1,20}){1,20}[#%]",
  "(.*?)(.*?)(.*?)[#%]", "[^#]*[^%]*[#%]", "(?:[a-z]+\\.?)+@[#%]",
];

const SIZE = 60_000;

/** Long lines for these expressions. */
export const HOSTILE_LINES: readonly string[] = [
  `${"a".repeat(SIZE)}!`,
  `${"ab".repeat(SIZE / 2)}!`,
  `${"x".repeat(SIZE)}!`,
  `${Array.from({ length: SIZE / 10 }, (_, at) => `word ${at}, `).join("").slice(0, SIZE)}!`,
  `${"aab bba ".repeat(SIZE / 8)}!`,
];
