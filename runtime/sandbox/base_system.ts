// Lists the paths that every sandbox contains read-only: the system's programs and libraries, and the user's programs from
// PATH.
import { basename, dirname, isAbsolute, join } from "../../base/plain_path.ts";
import { isBelow } from "../../base/files/path_below.ts";

/** The folders with the system's programs and libraries. */
const SYSTEM: readonly string[] = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"],
];

/**
 * The files and folders of /etc that programs need. The rest of /etc is not mounted, because any program may store
 * passwords there (rejected: the whole of /etc except /etc/shadow).
 */
const ETC_FILES: readonly string[] = [
  ...["passwd", "group", "hosts", "host.conf", "resolv.conf", "nsswitch.conf", "gai.conf"],
  ...["services", "protocols", "localtime", "timezone", "locale.conf", "default/locale"],
  ...["ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "os-release", "lsb-release"],
  ...["debian_version", "mime.types", "magic", "fonts", "terminfo", "inputrc", "shells"],
  ...["ssl/certs", "ssl/openssl.cnf", "ssl/cert.pem", "ca-certificates", "ca-certificates.conf"],
  ...["pki/tls/certs", "pki/tls/cert.pem", "pki/tls/openssl.cnf", "pki/ca-trust/extracted"],
  ...["crypto-policies", "perl", "python3", "java", "xml", "ImageMagick-6", "ImageMagick-7"],
  ...["papersize", "manpath.config", "profile", "bash.bashrc", "static", "machine-id"],
];

/** The paths that are mounted read-only in every sandbox. A path that does not exist is left out. */
export const BASE_SYSTEM: readonly string[] = [
  ...SYSTEM,
  ...ETC_FILES.map((path) => `/etc/${path}`),
];

/**
 * The folders of the home folder in which package managers install programs for one user. They are mounted even if PATH
 * does not contain them.
 */
const USER_PROGRAMS: readonly string[] = [
  ...[".local/bin", ".local/lib", ".local/share/uv", ".local/share/pipx", ".local/pipx"],
  ...[".local/share/mise", ".local/share/fnm", ".local/share/pnpm", ".rustup", ".sdkman"],
];

/** The folders of the home folder that contain more than programs. Of these, only the subfolder in PATH is mounted. */
const MIXED_FOLDERS = [".local", ".cargo", ".config", ".deno", ".cache", ".docker"];

/**
 * Returns the folders of programs in PATH that are not part of the base system, and USER_PROGRAMS. Replaces a folder named
 * `bin` or `shims` by its parent, because Python and others keep their libraries beside it.
 */
export function programFolders(path: string | undefined, home: string): string[] {
  const folders = (path ?? "").split(":").filter(isAbsolute).flatMap((folder) => {
    const trimmed = folder.length > 1 ? folder.replace(/\/+$/, "") : folder;
    if (isBelow(home, trimmed) || SYSTEM.some((one) => isBelow(trimmed, one))) return [];
    const around = dirname(trimmed);
    const isInstallation = /^(s?bin|shims)$/.test(basename(trimmed)) && !isBelow(home, around) &&
      !MIXED_FOLDERS.some((one) => around === join(home, one));
    return [isInstallation ? around : trimmed];
  });
  return [...new Set([...folders, ...USER_PROGRAMS.map((one) => join(home, one))])];
}
