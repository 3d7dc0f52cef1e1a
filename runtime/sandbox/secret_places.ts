// Lists the places of keys and private data. No sandboxed program can use them, even if a permitted folder contains them.
import { join } from "../../base/plain_path.ts";

/** The places in the home folder, relative to it. */
const HOME_PLACES: readonly string[] = [
  // Keys and passwords.
  ...[".ssh", ".gnupg", ".pki", ".password-store", ".netrc", ".pgpass", ".my.cnf", ".vault-token"],
  ...[".git-credentials", ".config/git/credentials", ".config/gh", ".config/hub", ".config/op"],
  ...[".npmrc", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials"],
  ...[".local/share/keyrings", ".config/1Password", ".config/Bitwarden", ".config/keepassxc"],
  // Keys of cloud providers.
  ...[".aws", ".azure", ".config/gcloud", ".kube", ".docker", ".config/doctl", ".config/rclone"],
  ...[".terraform.d", ".oci", ".config/heroku", ".fly", ".config/containers", ".boto", ".s3cfg"],
  // Data of browsers and mail programs.
  ...[".mozilla", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware"],
  ...[".config/microsoft-edge", ".config/vivaldi", ".config/opera", ".thunderbird", ".var/app"],
  ...[
    "snap/firefox",
    "snap/chromium",
    "snap/thunderbird",
    ".cache/mozilla",
    ".cache/google-chrome",
  ],
  // Histories of commands that a person typed.
  ...[".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history"],
  ...[".local/share/fish", ".lesshst", ".viminfo"],
  // Keys and conversations of other agents.
  ...[".claude", ".claude.json", ".codex", ".gemini", ".config/inkling", ".local/state/inkling"],
];

/** The places outside of the home folder: files of the administrator, and sockets of services. */
const MACHINE_PLACES: readonly string[] = [
  ...["/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/gshadow-", "/etc/sudoers"],
  ...["/etc/sudoers.d", "/etc/ssl/private", "/etc/ssh", "/etc/krb5.keytab", "/etc/wireguard"],
  ...["/etc/NetworkManager", "/run", "/var/run", "/sys", "/boot", "/var/lib/docker"],
];

/** Returns the absolute paths of the places of keys and private data. The paths need not exist. */
export function secretPlaces(home: string): string[] {
  return [...HOME_PLACES.map((path) => join(home, path)), ...MACHINE_PLACES];
}
