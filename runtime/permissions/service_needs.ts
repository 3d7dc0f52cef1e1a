// Lists the Deno permissions that Inkling and config.yaml need, independent of the agents.
import { dirname, join, resolve } from "../../base/plain_path.ts";
import type { Config } from "../config/config.ts";
import { CHAT_APPS, type ChatSettings } from "../config/chat_schema.ts";
import { databaseFiles, databaseHost, type DatabaseSettings } from "../config/database_settings.ts";
import type { Environment } from "../config/files/environment.ts";
import { type MailAccount, secretVariableOf } from "../config/mail_schema.ts";
import { channelVariables } from "../config/notify_schema.ts";
import type { Directories } from "../config/directories.ts";
import { historyOwnerFile, stateFilesOf } from "../config/places.ts";
import { knownRealPath } from "../../base/files/known_real_path.ts";
import { programFolder } from "../../base/program_files.ts";
import { hostAndPort, keyVariableOf, modelHost } from "../models/endpoint.ts";
import { ModelError } from "../models/model.ts";
import { normalizeHost } from "../tools/http/http_policy.ts";
import { CERTIFICATE_VARIABLES, certificatePaths } from "../sandbox/certificates.ts";
import type { PermissionNeed } from "./permission_need.ts";

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
export interface ServiceNeedsContext {
  config: Pick<
    Config,
    "workspace" | "defaults" | "http" | "mail" | "notify" | "search" | "service" | "signIn"
  >;
  environment: Pick<Environment, "get">;
  directories: Directories;
  /** The settings of the shared database. Undefined if there is none. */
  database: DatabaseSettings | undefined;
  /** The shell's variables, and the user's home directory. */
  shell: Readonly<Record<string, string>>;
  home: string;
  /** The address that the TCP listener uses. The address in config.yaml if absent. */
  host?: string;
}

/** Returns the permissions that Inkling needs for a workspace. */
export function serviceNeeds(context: ServiceNeedsContext): PermissionNeed[] {
  return [
    ...placeNeeds(context),
    ...certificatePaths(context.shell).flatMap(both).map(read("certificates for programs")),
    ...netNeeds(context),
    ...context.config.http.allow.map((host) =>
      net(host.includes(":") ? `[${host}]` : host, "http.allow in config.yaml")
    ),
    ...VARIABLES.flatMap(({ why, names }) =>
      names.map((value) => ({ kind: "env" as const, value, why }))
    ),
    ...databaseNeeds(context),
    ...defaultModelNeeds(context),
    ...channelNeeds(context),
    ...searchNeeds(context),
    ...signInNeeds(context),
    ...context.config.mail.flatMap(mailNeeds),
  ];
}

/** Returns the permissions for a mail account: its servers, its authorization server, and the variable with its secret. */
function mailNeeds(account: MailAccount): PermissionNeed[] {
  const { name, imap, smtp, oauth } = account;
  const why = `mail.${name} in config.yaml`;
  const hosts = [imap, smtp].map(({ host, port }) =>
    `${host.includes(":") ? `[${host}]` : host}:${port}`
  );
  if (oauth !== undefined) {
    const { host } = new URL(oauth.issuer);
    hosts.push(hostAndPort(new URL(oauth.issuer)), ...TOKEN_HOSTS[host] ?? []);
  }
  const value = secretVariableOf(account);
  return [
    ...hosts.map((host) => net(host, why)),
    ...(value === undefined ? [] : [{ kind: "env" as const, value, why }]),
  ];
}

/** The hosts that issue tokens, of authorization servers that use other hosts than their own. */
const TOKEN_HOSTS: Readonly<Record<string, readonly string[]>> = {
  "accounts.google.com": ["oauth2.googleapis.com:443"],
};

/** Returns the permissions for searches: the service's host, and the variable with its key. */
function searchNeeds({ config: { search } }: ServiceNeedsContext): PermissionNeed[] {
  if (search === null) return [];
  const why = "search in config.yaml";
  const { baseUrl, keyEnv: value } = search;
  return [
    net(hostAndPort(new URL(baseUrl)), why),
    ...(value === undefined ? [] : [{ kind: "env" as const, value, why }]),
  ];
}

/** Returns the permissions for the sign-in of people: the provider's host, and the variable with the client's secret. */
function signInNeeds({ config: { signIn } }: ServiceNeedsContext): PermissionNeed[] {
  if (signIn === null) return [];
  const why = "sign_in in config.yaml";
  const { issuer, clientSecretEnv: value } = signIn;
  return [
    net(hostAndPort(new URL(issuer)), why),
    ...(value === undefined ? [] : [{ kind: "env" as const, value, why }]),
  ];
}

function placeNeeds({ config, directories }: ServiceNeedsContext): PermissionNeed[] {
  const { configDir, stateDir, baseStateDir, workspace, agentsDir, socketFile } = directories;
  const own = Deno.build.standalone ? [] : both(programFolder()).map(read(
    "the program: its parts are loaded when they are needed",
  ));
  return [
    ...own,
    ...both(configDir).map(read("config.yaml, pricing.yaml and .env")),
    // The real paths of both workspaces are compared when the state directory is chosen.
    ...(knownRealPath(config.workspace) === knownRealPath(workspace)
      ? [read("the workspace")(config.workspace)]
      : []),
    ...both(workspace).flatMap(readAndWrite("the workspace")),
    ...both(agentsDir).flatMap(readAndWrite("the agents and their memory")),
    ...both(stateDir).flatMap(readAndWrite("history, log, locks and socket")),
    ...(stateDir === baseStateDir ? [] : both(baseStateDir).flatMap(formerHistoryNeeds)),
    ...(dirname(socketFile) === stateDir
      ? []
      : both(dirname(socketFile)).flatMap(readAndWrite("the socket"))),
  ];
}

/** Returns the permissions to move a workspace's history after config.yaml has named another workspace. */
function formerHistoryNeeds(baseStateDir: string): PermissionNeed[] {
  const { databaseFile, lockFile } = stateFilesOf(baseStateDir);
  return [
    read("whose history is in the state directory")(historyOwnerFile(baseStateDir)),
    ...[databaseFile, `${databaseFile}-wal`, `${databaseFile}-shm`, lockFile].flatMap(
      readAndWrite("history from when config.yaml named this workspace"),
    ),
  ];
}

function netNeeds(
  { directories, config: { service }, ...flags }: ServiceNeedsContext,
): PermissionNeed[] {
  const host = flags.host ?? (service.port === null ? undefined : service.host);
  return [
    net(`unix:${directories.socketFile}`, "the service's socket"),
    ...LOOPBACK_HOSTS.map((one) => net(one, "this machine: clients over TCP, local models")),
    ...(host === undefined ? [] : [
      net(
        host.includes(":") ? `[${normalizeHost(host)}]` : host,
        "--host of start, or service.host",
      ),
    ]),
  ];
}

/** Returns the permissions for the database connection: host, variables, password file, certificates. */
function databaseNeeds({ database, shell, home }: ServiceNeedsContext): PermissionNeed[] {
  if (database === undefined) return [];
  const why = "the database";
  const passwords = shell["PGPASSFILE"] || join(home, ".pgpass");
  // A named password file is allowed even if it is missing: it may be created later, and Deno must report it as missing,
  // not as forbidden.
  const isRead = shell["PGPASSFILE"] || isThere(passwords);
  const files = [...databaseFiles(database), ...(isRead ? [passwords] : [])];
  return [
    net(databaseHost(database, { port: shell["PGPORT"] }), why),
    ...files.flatMap((path) => both(resolve(path))).map(read("the way to the database")),
    ...DATABASE_VARIABLES.map((value) => ({ kind: "env" as const, value, why })),
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
  const variables = channelVariables(notify).map((value) => ({
    kind: "env" as const,
    value,
    why: "notify.channels in config.yaml",
  }));
  const others = Object.entries(notify.channels).flatMap(([name, channel]): PermissionNeed[] => {
    const why = `notify.channels.${name} in config.yaml`;
    if (channel.type === "desktop" || channel.type === "command") {
      return channel.type === "command" && !channel.allow ? [] : [{ kind: "run", value: "", why }];
    }
    if (channel.type === "chat") return chatNeeds(channel);
    // The account's own permissions are among those of `mail`.
    if (channel.type === "mail") return [];
    const url = URL.parse(
      channel.type === "slack" ? environment.get(channel.url) ?? "" : channel.url,
    );
    return url === null ? [] : [net(hostAndPort(url), why)];
  });
  return [...variables, ...others];
}

/** Returns the permissions for a chat: the hosts of its app. Its variables are among those of the channels. */
function chatNeeds({ name, apiRoot }: ChatSettings): PermissionNeed[] {
  const why = `chat.${name} in config.yaml`;
  const hosts = FURTHER_HOSTS[apiRoot] ?? [];
  return [hostAndPort(new URL(apiRoot)), ...hosts.map((host) => `${host}:443`)]
    .map((host) => net(host, why));
}

/** The hosts of chat apps beside the host of their API, by its default address: their sockets and their files. */
const FURTHER_HOSTS: Readonly<Record<string, readonly string[]>> = {
  [CHAT_APPS.slack]: ["wss-primary.slack.com", "wss-backup.slack.com", "files.slack.com"],
  [CHAT_APPS.discord]: ["gateway.discord.gg", "*.discord.gg", "cdn.discordapp.com"],
};

function defaultModelNeeds({ config }: ServiceNeedsContext): PermissionNeed[] {
  const { provider, model: name, baseUrl } = config.defaults;
  if (provider === undefined || name === undefined) return [];
  try {
    const host = modelHost({
      provider,
      name,
      streamUsage: true,
      ...(baseUrl === undefined ? {} : { baseUrl }),
    });
    const why = "the default model in config.yaml";
    return host === null
      ? []
      : [net(host, why), { kind: "env", value: keyVariableOf(provider), why }];
  } catch (error) {
    // The model has no endpoint, which validation reports.
    if (error instanceof ModelError) return [];
    throw error;
  }
}

function both(path: string): string[] {
  return [...new Set([path, knownRealPath(path)])];
}

function read(why: string): (value: string) => PermissionNeed {
  return (value) => ({ kind: "read", value, why });
}

function readAndWrite(why: string): (value: string) => PermissionNeed[] {
  return (value) => [read(why)(value), { kind: "write", value, why }];
}

function net(value: string, why: string): PermissionNeed {
  return { kind: "net", value, why };
}
