// The few environment variables of an agent's programs. Keys of model providers are never among them.
import { CERTIFICATE_VARIABLES } from "../../sandbox/certificates.ts";

/** Variables that programs need to find other programs, the home folder, the language, certificates and temporary folders. */
const NAMES = [
  ...["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"],
  ...CERTIFICATE_VARIABLES,
];

/** Returns the usual variables that `lookup` knows. */
export function smallEnvironment(
  lookup: (name: string) => string | undefined,
): Record<string, string> {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = lookup(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
