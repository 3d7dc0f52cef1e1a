// Real mail servers for tests: Dovecot for IMAP, with a link that can be cut or silenced, and smtp-server for SMTP.
import { basename, join } from "node:path";
import type { Socket } from "node:net";
import { SMTPServer } from "smtp-server";
import { ignoreMissing } from "../../../base/files/missing.ts";
import { createTempDir } from "../temp_dir.ts";
import { until } from "../until.ts";
import { freePort } from "./free_port.ts";

/** The user and group to which the mails belong: Dovecot refuses to read them as root. */
const NOBODY = 65_534;
const DOVECOT = "/usr/sbin/dovecot";

/** True if tests that need Dovecot can run. It must be started by root. */
export const HAS_DOVECOT = (() => {
  try {
    return Deno.statSync(DOVECOT).isFile && Deno.uid() === 0;
  } catch {
    return false;
  }
})();

/** The server that the tests of this thread share; undefined if none of them needs one. */
let shared: Dovecot | undefined;
let isSharing = false;

/** Registers a test that needs Dovecot. The test is skipped without it. The tests of a thread share one server. */
export const withDovecot = {
  test: (name: string, fn: (t: Deno.TestContext) => Promise<void>) => {
    if (!isSharing && HAS_DOVECOT) {
      Deno.test.beforeAll(async () => void (shared = await startDovecot()));
      Deno.test.afterAll(async () => await shared?.[Symbol.asyncDispose]());
    }
    isSharing = true;
    Deno.test({ name, ignore: !HAS_DOVECOT, fn });
  },
};

/** An IMAP server with mails of its own. Every user has the password `secret`. Disposing ends its connections. */
export interface TestImap extends AsyncDisposable {
  /** The port of the link to the server. */
  port: number;
  /** The number of connections that the link has accepted, and that are open now. */
  accepted: number;
  readonly open: number;
  /** Puts a mail into a folder of a user. Resolves to the name of its file. */
  deliver(user: string, source: string | Uint8Array, folder?: string): Promise<string>;
  /** Returns the names of the mails in a folder, with their flags. */
  list(user: string, folder?: string): Promise<string[]>;
  /** Returns the sources of the mails in a folder. */
  sources(user: string, folder: string): Promise<string[]>;
  /** Ends all connections. */
  cut(): void;
  /** While true, no byte passes the link, and it says nothing. */
  silence(isSilent: boolean): void;
  /** Ends all connections and refuses new ones, until the start. */
  stop(): void;
  start(): void;
  /** The folder with the mails of a user. */
  folderOf(user: string, folder?: string): string;
}

/**
 * Opens an IMAP server: the shared Dovecot at an address with mails of its own, or a new one. With `introspection` it
 * accepts only the tokens of OAuth that are active at this address.
 */
export async function startImap(options: { introspection?: string } = {}): Promise<TestImap> {
  const isShared = shared !== undefined && options.introspection === undefined;
  const server = isShared && shared ? shared : await startDovecot(options);
  const hostname = ADDRESSES[server.users++] ?? "";
  const root = join(server.dir, "mail", hostname);
  for (const one of ["mail", "home"]) await makeOwned(join(server.dir, one, hostname));
  const link = startLink({ hostname, port: server.port });
  const folderOf = (user: string, folder = "INBOX") =>
    join(root, user, folder === "INBOX" ? "" : `.${folder}`);
  let count = 0;
  return {
    ...{ folderOf, port: link.port, cut: link.cut, stop: link.stop, start: link.start },
    get accepted() {
      return link.state.accepted;
    },
    get open() {
      return link.state.open.size;
    },
    async deliver(user, source, folder) {
      const place = folderOf(user, folder);
      await makeOwned(folderOf(user));
      for (const one of ["", "tmp", "new", "cur"]) await makeOwned(join(place, one));
      // The order of the names is the order of the mails.
      const name = `${String(1_700_000_000 + count++)}.M${count}.test`;
      const bytes = typeof source === "string" ? new TextEncoder().encode(source) : source;
      await Deno.writeFile(join(place, "tmp", name), bytes);
      await Deno.chown(join(place, "tmp", name), NOBODY, NOBODY);
      await Deno.rename(join(place, "tmp", name), join(place, "new", name));
      return name;
    },
    list: async (user, folder) =>
      (await pathsIn(folderOf(user, folder))).map((path) => basename(path)).sort(),
    sources: async (user, folder) =>
      await Promise.all(
        (await pathsIn(folderOf(user, folder))).map((path) => Deno.readTextFile(path)),
      ),
    silence: (isSilent) => void (link.state.isSilent = isSilent),
    async [Symbol.asyncDispose]() {
      link.close();
      if (!isShared) await server[Symbol.asyncDispose]();
    },
  };
}

async function makeOwned(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  await Deno.chown(folder, NOBODY, NOBODY);
}

/** The addresses of Dovecot. Each has mails of its own. */
const ADDRESSES = Array.from({ length: 100 }, (_, index) => `127.0.1.${index + 1}`);

/** A running Dovecot. Disposing stops it and removes its mails. */
interface Dovecot extends AsyncDisposable {
  dir: string;
  port: number;
  /** The number of used addresses. */
  users: number;
}

async function startDovecot({ introspection }: { introspection?: string } = {}): Promise<Dovecot> {
  const dir = await createTempDir();
  // The processes that talk with unknown clients belong to other users.
  await Deno.chmod(dir.path, 0o755);
  const port = freePort();
  await Deno.writeTextFile(
    join(dir.path, "oauth2.conf"),
    `introspection_mode = post\nintrospection_url = ${introspection}\nusername_attribute = username
active_attribute = active\nactive_value = true\n`,
  );
  const passwords = introspection === undefined
    ? "passdb {\n  driver = static\n  args = password=secret\n}"
    : "auth_mechanisms = xoauth2\npassdb {\n  driver = oauth2\n  mechanisms = xoauth2\n" +
      `  args = ${join(dir.path, "oauth2.conf")}\n}`;
  const file = join(dir.path, "dovecot.conf");
  await Deno.writeTextFile(file, configuration(dir.path, { port, passwords }));
  const child = new Deno.Command(DOVECOT, {
    args: ["-F", "-c", file],
    ...{ stdin: "null", stdout: "null", stderr: "null" },
    // In a process group of its own, which can be killed as a whole.
    detached: true,
  }).spawn();
  const [hostname = ""] = ADDRESSES;
  const isListening = () =>
    Deno.connect({ hostname, port }).then((connection) => (connection.close(), true), () => false);
  await until(isListening, "Dovecot listens");
  return {
    ...{ dir: dir.path, port, users: 0 },
    async [Symbol.asyncDispose]() {
      // After a SIGTERM, it would wait a second for each process that had a client.
      Deno.kill(-child.pid, "SIGKILL");
      await child.status;
      // A process that has just got its signal may still write a file.
      const remove = () => Deno.remove(dir.path, { recursive: true }).then(() => true, () => false);
      await until(remove, "the folder of the mail server is removed");
    },
  };
}

function configuration(
  dir: string,
  { port, passwords }: { port: number; passwords: string },
): string {
  return `protocols = imap
base_dir = ${dir}/run
log_path = ${dir}/log
ssl = no
disable_plaintext_auth = no
auth_failure_delay = 0
shutdown_clients = yes
mail_location = maildir:${dir}/mail/%{lip}/%u
mail_max_userip_connections = 100
${passwords}
userdb {
  driver = static
  args = uid=${NOBODY} gid=${NOBODY} home=${dir}/home/%{lip}/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    address = ${ADDRESSES.join(" ")}
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
  # Without it, each wrong password would delay the next one.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
namespace inbox {
  inbox = yes
  mailbox Sent {
    special_use = \\Sent
    auto = subscribe
  }
  mailbox Drafts {
    special_use = \\Drafts
    auto = subscribe
  }
  mailbox Done {
    auto = subscribe
  }
}
`;
}

/**
 * A TCP link to an address, which can be cut, silenced, and refuse connections for a while. It keeps its port meanwhile,
 * because another thread could take the port.
 */
function startLink(to: { hostname: string; port: number }) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const state = { accepted: 0, isSilent: false, isDown: false, open: new Set<Deno.Conn>() };
  const pump = async (from: Deno.Conn, into: Deno.Conn) => {
    const bytes = new Uint8Array(64 * 1024);
    try {
      for (let read = await from.read(bytes); read !== null; read = await from.read(bytes)) {
        if (state.isSilent) continue;
        for (let at = 0; at < read;) at += await into.write(bytes.subarray(at, read));
      }
    } catch {
      // One side has ended.
    }
    for (const one of [from, into]) end(one);
  };
  const end = (one: Deno.Conn) => {
    state.open.delete(one);
    try {
      one.close();
    } catch {
      // It was closed before.
    }
  };
  const serve = async () => {
    for await (const client of listener) {
      if (state.isDown) {
        end(client);
        continue;
      }
      state.accepted++;
      try {
        const server = await Deno.connect(to);
        state.open.add(client);
        void pump(client, server);
        void pump(server, client);
      } catch {
        end(client);
      }
    }
  };
  void serve();
  const cut = () => state.open.forEach(end);
  return {
    ...{ state, cut, port },
    close() {
      listener.close();
      cut();
    },
    stop() {
      state.isDown = true;
      cut();
    },
    start() {
      state.isDown = false;
    },
  };
}

/** Returns the paths of the mails in a folder. The server creates a folder with its first mail. */
async function pathsIn(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for (const one of ["new", "cur"].map((name) => join(folder, name))) {
    const entries = await Array.fromAsync(Deno.readDir(one)).catch(ignoreMissing) ?? [];
    paths.push(...entries.map(({ name }) => join(one, name)));
  }
  return paths;
}

/** A mail that the SMTP server has accepted. */
export interface SentMail {
  from: string;
  to: string[];
  source: string;
}

/**
 * Starts an SMTP server that keeps the mails it gets. The only password is `secret`. With `accepts`, it takes only tokens.
 * After a mail to late@..., it closes the connection without an answer.
 */
export async function startSmtp(
  { accepts }: { accepts?: (token: string) => boolean } = {},
): Promise<{ port: number; sent: SentMail[] } & AsyncDisposable> {
  const sent: SentMail[] = [];
  const sockets: Socket[] = [];
  const server = new SMTPServer({
    hideSTARTTLS: true,
    logger: false,
    allowInsecureAuth: true,
    // The certificate is never used, but the server warns of its own one.
    disabledCommands: ["STARTTLS"],
    authMethods: accepts === undefined ? ["PLAIN", "LOGIN"] : ["XOAUTH2"],
    onAuth({ username, password, accessToken }, _session, done) {
      if (accepts?.(accessToken ?? "") ?? password === "secret") {
        return done(null, { user: username });
      }
      done(Object.assign(new Error("Username and Password not accepted"), { responseCode: 535 }));
    },
    onRcptTo({ address }, _session, done) {
      const isRefused = address.startsWith("nobody@");
      done(isRefused ? Object.assign(new Error("No such user"), { responseCode: 550 }) : null);
    },
    onData(stream, { envelope }, done) {
      const parts: Uint8Array[] = [];
      stream.on("data", (part: Uint8Array) => parts.push(part));
      stream.on("end", () => {
        sent.push({
          from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          source: parts.map((part) => new TextDecoder().decode(part)).join(""),
        });
        if (envelope.rcptTo.some(({ address }) => address.startsWith("late@"))) {
          for (const socket of sockets) socket.destroy();
        } else done();
      });
    },
  });
  server.server.on("connection", (socket: Socket) => sockets.push(socket));
  const { promise, resolve } = Promise.withResolvers<void>();
  const listening = server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = listening.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    sent,
    [Symbol.asyncDispose]: () => new Promise<void>((done) => server.close(() => done())),
  };
}
