// Finds the certificates that the machine trusts in addition to the system's. Sandboxed programs get them by default:
// behind a company's proxy, a program without them can connect to no host.
import { basename, isAbsolute, join } from "../../base/plain_path.ts";
import { isEnvFileName } from "../../base/files/env_file_name.ts";

/** The environment variables of OpenSSL, Node and Python that contain paths of certificate files or folders. */
export const CERTIFICATE_VARIABLES: readonly string[] = [
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"],
];

const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** The maximum number of files that are read from one folder. */
const MAX_FILES = 1_000;

/** Returns the absolute paths in CERTIFICATE_VARIABLES and DENO_CERT. */
export function certificatePaths(environment: Readonly<Record<string, string>>): string[] {
  const values = [...CERTIFICATE_VARIABLES, "DENO_CERT"].map((name) => environment[name] ?? "");
  // OpenSSL accepts several folders in one variable, separated by colons.
  return [...new Set(values.flatMap((value) => value.split(":")))].filter(isAbsolute);
}

/**
 * Returns the certificate files at the paths in CERTIFICATE_VARIABLES and DENO_CERT. For a folder, returns the certificate
 * files in it. Leaves out files with a private key.
 */
export function certificateFiles(environment: Readonly<Record<string, string>>): string[] {
  return certificatePaths(environment).flatMap((path) =>
    unlessUnreadable(() => Deno.statSync(path).isDirectory)
      ? filesIn(path).filter(isCertificateFile)
      : [path].filter(isCertificateFile)
  );
}

function filesIn(folder: string): string[] {
  const entries = unlessUnreadable(() => [...Deno.readDirSync(folder)]) ?? [];
  return entries.slice(0, MAX_FILES).map(({ name }) => join(folder, name));
}

function isCertificateFile(path: string): boolean {
  if (isEnvFileName(basename(path))) return false;
  const text = unlessUnreadable(() => {
    const { isFile, size } = Deno.statSync(path);
    return isFile && size <= MAX_FILE_BYTES ? Deno.readTextFileSync(path) : "";
  }) ?? "";
  return /^-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----/m.test(text) &&
    !text.includes("PRIVATE KEY");
}

/**
 * Returns the result of `read`, or undefined if the path cannot be read. The program then runs without that certificate.
 */
function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
