// Certificates of authorities that the machine trusts beyond the system's: a program in the sandbox gets them by default, because
// without them it reaches no host behind a company's proxy.
import { basename, isAbsolute, join } from "node:path";
import { isEnvFileName } from "../../base/files/env_file_name.ts";

/** The variables that name files of certificates, or folders of them: OpenSSL's, Node's and Python's. */
export const CERTIFICATE_VARIABLES: readonly string[] = [
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"],
];

const LARGEST_FILE_BYTES = 4 * 1024 * 1024;
/** The most files of one folder that are passed. */
const MOST_FILES = 1_000;

/** Absolute paths that the variables name. */
export function certificatePaths(environment: Readonly<Record<string, string>>): string[] {
  const values = [...CERTIFICATE_VARIABLES, "DENO_CERT"].map((name) => environment[name] ?? "");
  // OpenSSL takes several folders.
  return [...new Set(values.flatMap((value) => value.split(":")))].filter(isAbsolute);
}

/** The files at these paths, and in folders at them, that hold certificates and no private key. */
export function certificateFiles(environment: Readonly<Record<string, string>>): string[] {
  return certificatePaths(environment).flatMap((path) =>
    unlessUnreadable(() => Deno.statSync(path).isDirectory)
      ? filesIn(path).filter(isCertificateFile)
      : [path].filter(isCertificateFile)
  );
}

function filesIn(folder: string): string[] {
  const entries = unlessUnreadable(() => [...Deno.readDirSync(folder)]) ?? [];
  return entries.slice(0, MOST_FILES).map(({ name }) => join(folder, name));
}

function isCertificateFile(path: string): boolean {
  if (isEnvFileName(basename(path))) return false;
  const text = unlessUnreadable(() => {
    const { isFile, size } = Deno.statSync(path);
    return isFile && size <= LARGEST_FILE_BYTES ? Deno.readTextFileSync(path) : "";
  }) ?? "";
  return /^-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----/m.test(text) &&
    !text.includes("PRIVATE KEY");
}

/** Undefined for what is not there, or closed to this process as well: the program does without it. */
function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
