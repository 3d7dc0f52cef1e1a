// Selects the environment variables that an agent's programs get from the service. Keys of model providers are never among
// them.
import { CERTIFICATE_VARIABLES } from "../../sandbox/certificates.ts";

/**
 * The variables by which programs find other programs, the home folder, the language, certificates and temporary folders.
 */
const NAMES = [
  ...["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"],
  ...CERTIFICATE_VARIABLES,
];

/** Returns the variables of NAMES for which `lookup` returns a value. */
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
