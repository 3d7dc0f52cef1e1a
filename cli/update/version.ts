// Parses and compares semantic version numbers; see semver.org.

const VERSION =
  /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]{1,64}))?(?:\+[0-9A-Za-z.-]{1,64})?$/;

/**
 * Returns whether a text is a version number. A version number is safe to print and to pass to a program as an argument.
 */
export function isVersion(text: string): boolean {
  return VERSION.test(text);
}

/**
 * Compares two versions and ignores build metadata. Returns a negative number if `a` is older than `b`, a positive number
 * if `a` is newer, otherwise 0. Throws RangeError for an invalid version.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [split(a), split(b)];
  for (const [index, number] of left.numbers.entries()) {
    const difference = number - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  // A pre-release is older than its release: 1.0.0-rc.1 is older than 1.0.0.
  if (left.before.length === 0 || right.before.length === 0) {
    return right.before.length - left.before.length;
  }
  for (let index = 0; index < Math.max(left.before.length, right.before.length); index++) {
    const [one, other] = [left.before[index], right.before[index]];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    const difference = compareIdentifiers(one, other);
    if (difference !== 0) return difference;
  }
  return 0;
}

function split(version: string): { numbers: number[]; before: string[] } {
  const found = VERSION.exec(version);
  if (found === null) throw new RangeError(`No version: ${version}`);
  const [, major, minor, patch, before] = found;
  return { numbers: [major, minor, patch].map(Number), before: before?.split(".") ?? [] };
}

/** Compares two identifiers of a pre-release: numbers by value, words by their characters. A number is less than a word. */
function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [a, b].map((one) => /^\d+$/.test(one));
  if (isNumber && isOtherNumber) return Number(a) - Number(b);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
