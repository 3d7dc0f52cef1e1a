// The few variables that programs of an agent see. Keys of model providers are never among them.
import { CERTIFICATE_VARIABLES } from "../../sandbox/certificates.ts";

/** What programs need to find other programs, the user's folder, their language, certificates, and where to put temporary files. */
const NAMES = [
  ...["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"],
  ...CERTIFICATE_VARIABLES,
];

/** Those of the usual variables that `lookup` knows. */
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
