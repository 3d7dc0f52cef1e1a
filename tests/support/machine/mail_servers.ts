// Real mail servers for tests: Dovecot for IMAP, with a link that can be cut or silenced, and smtp-server for SMTP.
import { join } from "node:path";
import type { Socket } from "node:net";
import { SMTPServer } from "smtp-server";
import { createTempDir } from "../temp_dir.ts";
import { until } from "../until.ts";

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

/** Registers a test that needs Dovecot. The test is skipped without it. */
export const withDovecot = {
  test: (name: string, fn: (t: Deno.TestContext) => Promise<void>) =>
    Deno.test({ name, ignore: !HAS_DOVECOT, fn }),
};

/** A running Dovecot. Every user has the password `secret`. Disposing stops it and removes its mails. */
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
  /** Ends all connections. */
  cut(): void;
  /** While true, no byte passes the link, and it says nothing. */
  silence(isSilent: boolean): void;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** The folder with the mails of a user. */
  folderOf(user: string, folder?: string): string;
}

/**
 * Starts Dovecot in a temporary folder. With `introspection` it accepts only the tokens of OAuth that are active at this
 * address.
 */
export async function startImap(options: { introspection?: string } = {}): Promise<TestImap> {
  const dir = await createTempDir();
  // The processes that talk with unknown clients belong to other users.
  await Deno.chmod(dir.path, 0o755);
  const inner = freePort();
  for (const one of ["mail", "home"]) {
    await Deno.mkdir(join(dir.path, one));
    await Deno.chown(join(dir.path, one), NOBODY, NOBODY);
  }
  const { introspection } = options;
  await Deno.writeTextFile(
    join(dir.path, "oauth2.conf"),
    `introspection_mode = post\nintrospection_url = ${introspection}\nusername_attribute = username
active_attribute = active\nactive_value = true\n`,
  );
  const passwords = introspection === undefined
    ? "passdb {\n  driver = static\n  args = password=secret\n}"
    : "auth_mechanisms = xoauth2\npassdb {\n  driver = oauth2\n  mechanisms = xoauth2\n" +
      `  args = ${join(dir.path, "oauth2.conf")}\n}`;
  await Deno.writeTextFile(
    join(dir.path, "dovecot.conf"),
    configuration(dir.path, { port: inner, passwords }),
  );
  let child: Deno.ChildProcess | undefined;
  const isListening = async () => {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port: inner })).close();
      return true;
    } catch {
      return false;
    }
  };
  const start = async () => {
    child = new Deno.Command(DOVECOT, {
      args: ["-F", "-c", join(dir.path, "dovecot.conf")],
      ...{ stdin: "null", stdout: "null", stderr: "null" },
      // In a process group of its own, which can be killed as a whole.
      detached: true,
    }).spawn();
    await until(isListening, "Dovecot listens");
  };
  const stop = async () => {
    child?.kill("SIGTERM");
    await child?.status;
    child = undefined;
  };
  /** Kills the server with its processes. After a SIGTERM, it would wait a second for each that had a client. */
  const kill = async () => {
    if (child === undefined) return;
    Deno.kill(-child.pid, "SIGKILL");
    await child.status;
  };
  const link = startLink(inner);
  const folderOf = (user: string, folder = "INBOX") =>
    join(dir.path, "mail", user, folder === "INBOX" ? "" : `.${folder}`);
  let count = 0;
  await start();
  return {
    ...{ start, stop, folderOf, port: link.port },
    get accepted() {
      return link.state.accepted;
    },
    get open() {
      return link.state.open.size;
    },
    async deliver(user, source, folder) {
      const place = folderOf(user, folder);
      await Deno.mkdir(folderOf(user), { recursive: true });
      await Deno.chown(folderOf(user), NOBODY, NOBODY);
      for (const one of ["", "tmp", "new", "cur"].map((name) => join(place, name))) {
        await Deno.mkdir(one, { recursive: true });
        await Deno.chown(one, NOBODY, NOBODY);
      }
      // The order of the names is the order of the mails.
      const name = `${String(1_700_000_000 + count++)}.M${count}.test`;
      const bytes = typeof source === "string" ? new TextEncoder().encode(source) : source;
      await Deno.writeFile(join(place, "tmp", name), bytes);
      await Deno.chown(join(place, "tmp", name), NOBODY, NOBODY);
      await Deno.rename(join(place, "tmp", name), join(place, "new", name));
      return name;
    },
    async list(user, folder) {
      const names: string[] = [];
      for (const one of ["new", "cur"]) {
        // The server creates a folder with its first mail.
        if (!await exists(join(folderOf(user, folder), one))) continue;
        for await (const { name } of Deno.readDir(join(folderOf(user, folder), one))) {
          names.push(name);
        }
      }
      return names.sort();
    },
    cut: link.cut,
    silence: (isSilent) => void (link.state.isSilent = isSilent),
    async [Symbol.asyncDispose]() {
      link.close();
      await kill();
      // A process that has just got its signal may still write a file.
      await until(async () => {
        try {
          await dir[Symbol.asyncDispose]();
          return true;
        } catch {
          return false;
        }
      }, "the folder of the mail server is removed");
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
mail_location = maildir:${dir}/mail/%u
mail_max_userip_connections = 100
${passwords}
userdb {
  driver = static
  args = uid=${NOBODY} gid=${NOBODY} home=${dir}/home/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    address = 127.0.0.1
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

/** A TCP link to a port, which can be cut and silenced. */
function startLink(to: number) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const state = { accepted: 0, isSilent: false, open: new Set<Deno.Conn>() };
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
    for (const one of [from, into]) close(one);
  };
  const close = (one: Deno.Conn) => {
    state.open.delete(one);
    try {
      one.close();
    } catch {
      // It was closed before.
    }
  };
  const serve = async () => {
    for await (const client of listener) {
      state.accepted++;
      try {
        const server = await Deno.connect({ hostname: "127.0.0.1", port: to });
        state.open.add(client);
        void pump(client, server);
        void pump(server, client);
      } catch {
        close(client);
      }
    }
  };
  void serve();
  const cut = () => state.open.forEach(close);
  return {
    ...{ state, cut, port: (listener.addr as Deno.NetAddr).port },
    close() {
      listener.close();
      cut();
    },
  };
}

const exists = (path: string) => Deno.stat(path).then(() => true, () => false);

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return (listener.addr as Deno.NetAddr).port;
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
