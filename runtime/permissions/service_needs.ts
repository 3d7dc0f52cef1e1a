// Lists the Deno permissions that Inkling and config.yaml need, independent of the agents.
import { dirname, join, resolve } from "../../base/plain_path.ts";
import { CHAT_APPS, type ChatSettings } from "../config/chat_schema.ts";
import { databaseFiles, databaseHost } from "../config/database_settings.ts";
import { type MailAccount, secretVariableOf } from "../config/mail_schema.ts";
import { channelVariables } from "../config/notify_schema.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import { historyOwnerFile, stateFilesOf } from "../config/places.ts";
import { knownRealPath } from "../../base/files/known_real_path.ts";
import { programFolder } from "../../base/program_files.ts";
import { hostAndPort, ifUsable, keyVariableOf, modelHost } from "../models/endpoint.ts";
import { normalizeHost } from "../tools/http/http_policy.ts";
import { CERTIFICATE_VARIABLES, certificatePaths } from "../sandbox/certificates.ts";
import { needsOf, type PermissionNeed } from "./permission_need.ts";

/** The addresses at which this machine reaches itself. */
const LOOPBACK_HOSTS: readonly string[] = ["127.0.0.1", "localhost", "[::1]"];

/**
 * The environment variables that Inkling reads or passes to programs. Models' keys are not included, because the agents'
 * needs contain them.
 */
const VARIABLES: readonly { why: string; names: readonly string[] }[] = [
  { why: "Inkling's own settings", names: ["INKLING_*"] },
  { why: "where its places are", names: ["HOME", "USERPROFILE", "XDG_*"] },
  {
    why: "handed on to programs: who and where the user is",
    names: ["USER", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "LANG", "LC_*"],
  },
  {
    why:
      "handed on to processes of Inkling: what the network is like here, and where telemetry goes",
    names: [
      ...["DENO_DIR", "DENO_CERT", "DENO_TLS_CA_STORE", ...CERTIFICATE_VARIABLES],
      ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
      "OTEL_*",
    ],
  },
  { why: "what started the service", names: ["SYSTEMD_EXEC_PID", "XPC_SERVICE_NAME"] },
  {
    why: "what the terminal and the screen can do",
    names: [
      ...["TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "NODE_DISABLE_COLORS"],
      ...["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "WSL_DISTRO_NAME"],
      "DBUS_SESSION_BUS_ADDRESS",
    ],
  },
];

/**
 * The environment variables that the PostgreSQL driver reads if the address lacks the value. Not listed are variables that
 * change the form of values (PGBINARY, PGCLIENT_ENCODING, PGREPLICATION), and those that Inkling or the address always
 * sets.
 */
const DATABASE_VARIABLES: readonly string[] = [
  ...["PGUSER", "PGPASSWORD", "PGPASSFILE", "PGPASS_NO_DEESCAPE", "PGPORT"],
  ...["PGSSLMODE", "PGSSLNEGOTIATION", "PGOPTIONS"],
];

/** The settings that the needs are derived from. */
export type ServiceNeedsContext =
  & Pick<
    WorkspaceSettings,
    "config" | "environment" | "directories" | "database" | "shell" | "home"
  >
  & {
    /** The address that the TCP listener uses. The address in config.yaml if absent. */
    host?: string | undefined;
  };

/** Returns the permissions that Inkling needs for a workspace. */
export function serviceNeeds(context: ServiceNeedsContext): PermissionNeed[] {
  const { shell, config: { http, search, signIn, mail } } = context;
  const certificates = certificatePaths(shell).flatMap(both);
  return [
    ...placeNeeds(context),
    ...needsOf("certificates for programs", { read: certificates }),
    ...netNeeds(context),
    ...needsOf("http.allow in config.yaml", { net: http.allow.map(inBrackets) }),
    ...VARIABLES.flatMap(({ why, names }) => needsOf(why, { env: names })),
    ...databaseNeeds(context),
    ...defaultModelNeeds(context),
    ...channelNeeds(context),
    ...(search === null ? [] : needsOf("search in config.yaml", {
      net: [hostAndPort(new URL(search.baseUrl))],
      env: [search.keyEnv],
    })),
    ...(signIn === null ? [] : needsOf("sign_in in config.yaml", {
      net: [hostAndPort(new URL(signIn.issuer))],
      env: [signIn.clientSecretEnv],
    })),
    ...mail.flatMap(mailNeeds),
  ];
}

/** Returns the host as a permission has it: an IPv6 address in brackets. */
function inBrackets(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Returns the permissions for a mail account: its servers, its authorization server, and the variable with its secret. */
function mailNeeds(account: MailAccount): PermissionNeed[] {
  const { name, imap, smtp, oauth } = account;
  const hosts = [imap, smtp].map(({ host, port }) => `${inBrackets(host)}:${port}`);
  if (oauth !== undefined) {
    const { host } = new URL(oauth.issuer);
    hosts.push(hostAndPort(new URL(oauth.issuer)), ...TOKEN_HOSTS[host] ?? []);
  }
  return needsOf(`mail.${name} in config.yaml`, { net: hosts, env: [secretVariableOf(account)] });
}

/** The hosts that issue tokens, of authorization servers that use other hosts than their own. */
const TOKEN_HOSTS: Readonly<Record<string, readonly string[]>> = {
  "accounts.google.com": ["oauth2.googleapis.com:443"],
};

function placeNeeds({ config, directories }: ServiceNeedsContext): PermissionNeed[] {
  const { configDir, stateDir, baseStateDir, workspace, agentsDir, socketFile } = directories;
  const own = Deno.build.standalone ? [] : both(programFolder());
  // The real paths of both workspaces are compared when the state directory is chosen.
  const isSame = knownRealPath(config.workspace) === knownRealPath(workspace);
  const socketDir = dirname(socketFile);
  return [
    ...needsOf("the program: its parts are loaded when they are needed", { read: own }),
    ...needsOf("config.yaml, pricing.yaml and .env", { read: both(configDir) }),
    ...needsOf("the workspace", { read: isSame ? [config.workspace] : [] }),
    ...readAndWrite("the workspace", both(workspace)),
    ...readAndWrite("the agents and their memory", both(agentsDir)),
    ...readAndWrite("history, log, locks and socket", both(stateDir)),
    ...(stateDir === baseStateDir ? [] : both(baseStateDir).flatMap(formerHistoryNeeds)),
    ...(socketDir === stateDir ? [] : readAndWrite("the socket", both(socketDir))),
  ];
}

/** Returns the permissions to move a workspace's history after config.yaml has named another workspace. */
function formerHistoryNeeds(baseStateDir: string): PermissionNeed[] {
  const { databaseFile, lockFile } = stateFilesOf(baseStateDir);
  const files = [databaseFile, `${databaseFile}-wal`, `${databaseFile}-shm`, lockFile];
  return [
    ...needsOf("whose history is in the state directory", {
      read: [historyOwnerFile(baseStateDir)],
    }),
    ...readAndWrite("history from when config.yaml named this workspace", files),
  ];
}

function netNeeds(
  { directories, config: { service }, ...flags }: ServiceNeedsContext,
): PermissionNeed[] {
  const host = flags.host ?? (service.port === null ? undefined : service.host);
  const shown = host?.includes(":") ? inBrackets(normalizeHost(host)) : host;
  return [
    ...needsOf("the service's socket", { net: [`unix:${directories.socketFile}`] }),
    ...needsOf("this machine: clients over TCP, local models", { net: LOOPBACK_HOSTS }),
    ...needsOf("--host of start, or service.host", { net: [shown] }),
  ];
}

/** Returns the permissions for the database connection: host, variables, password file, certificates. */
function databaseNeeds({ database, shell, home }: ServiceNeedsContext): PermissionNeed[] {
  if (database === undefined) return [];
  const passwords = shell["PGPASSFILE"] || join(home, ".pgpass");
  // A named password file is allowed even if it is missing: it may be created later, and Deno must report it as missing,
  // not as forbidden.
  const isRead = shell["PGPASSFILE"] || isThere(passwords);
  const files = [...databaseFiles(database), ...(isRead ? [passwords] : [])];
  return [
    ...needsOf("the way to the database", { read: files.flatMap((path) => both(resolve(path))) }),
    ...needsOf("the database", {
      net: [databaseHost(database, { port: shell["PGPORT"] })],
      env: DATABASE_VARIABLES,
    }),
  ];
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    // A file that cannot be examined cannot be read either.
    return false;
  }
}

/** Returns the permissions for notifications: target hosts, variables with secrets, and programs. */
function channelNeeds({ config: { notify }, environment }: ServiceNeedsContext): PermissionNeed[] {
  const others = Object.entries(notify.channels).flatMap(([name, channel]) => {
    const why = `notify.channels.${name} in config.yaml`;
    switch (channel.type) {
      case "desktop":
        return needsOf(why, { run: [""] });
      case "command":
        return needsOf(why, { run: channel.allow ? [""] : [] });
      case "chat":
        return chatNeeds(channel);
      case "mail":
        return []; // The account's own permissions are among those of `mail`.
      default: {
        const { type, url: written } = channel;
        const url = URL.parse(type === "slack" ? environment.get(written) ?? "" : written);
        return needsOf(why, { net: [url && hostAndPort(url)] });
      }
    }
  });
  return [
    ...needsOf("notify.channels in config.yaml", { env: channelVariables(notify) }),
    ...others,
  ];
}

/** Returns the permissions for a chat: the hosts of its app. Its variables are among those of the channels. */
function chatNeeds({ name, apiRoot }: ChatSettings): PermissionNeed[] {
  const further = (FURTHER_HOSTS[apiRoot] ?? []).map((host) => `${host}:443`);
  const hosts = [hostAndPort(new URL(apiRoot)), ...further];
  return needsOf(`chat.${name} in config.yaml`, { net: hosts });
}

/** The hosts of chat apps beside the host of their API, by its default address: their sockets and their files. */
const FURTHER_HOSTS: Readonly<Record<string, readonly string[]>> = {
  [CHAT_APPS.slack]: ["wss-primary.slack.com", "wss-backup.slack.com", "files.slack.com"],
  [CHAT_APPS.discord]: ["gateway.discord.gg", "*.discord.gg", "cdn.discordapp.com"],
};

function defaultModelNeeds({ config }: ServiceNeedsContext): PermissionNeed[] {
  const { provider, model: name, baseUrl } = config.defaults;
  if (provider === undefined || name === undefined) return [];
  const model = { provider, name, streamUsage: true, ...(baseUrl && { baseUrl }) };
  const host = ifUsable(() => modelHost(model)) ?? null;
  const why = "the default model in config.yaml";
  return host === null ? [] : needsOf(why, { net: [host], env: [keyVariableOf(provider)] });
}

function both(path: string): string[] {
  return [...new Set([path, knownRealPath(path)])];
}

function readAndWrite(why: string, paths: readonly string[]): PermissionNeed[] {
  return needsOf(why, { read: paths, write: paths });
}
