// A service with mail agents and a real IMAP server.
import assert from "node:assert/strict";
import type { OpenRuntimeOptions } from "../../../../runtime/mod.ts";
import type { Clock } from "../../../../base/clock.ts";
import type { Execution } from "../../../../runtime/executions/execution.ts";
import type { Runtime } from "../../../../runtime/interface/runtime.ts";
import { startImap, type TestImap } from "../../../support/machine/mail_servers.ts";
import {
  createTestWorkspace,
  runsOf,
  type TestWorkspace,
  turnOf,
} from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";

/** The fields of a mail. */
export interface MailFields {
  from?: string;
  subject?: string;
  id?: string;
  text?: string;
  /** Further lines of the head. */
  headers?: string[];
  /** The word of the own server about the sender's domain. Undefined: DMARC has passed. */
  results?: string | null;
}

let count = 0;

/** Returns the source of a mail. */
export function mailOf(fields: MailFields = {}): string {
  const { from = "bob@example.org", subject = "Hello", text = "Hello Ann", headers = [] } = fields;
  const { id = `<${++count}.${crypto.randomUUID()}@example.org>` } = fields;
  const domain = from.replace(/^.*@|>.*$/g, "");
  const { results = `mx.example.com; dmarc=pass header.from=${domain}` } = fields;
  return [
    ...(results === null ? [] : [`Authentication-Results: ${results}`]),
    ...headers,
    `From: ${from}`,
    "To: ann@example.com",
    `Subject: ${subject}`,
    "Date: Thu, 01 Jan 2026 08:00:00 +0000",
    `Message-ID: ${id}`,
    "Content-Type: text/plain; charset=utf-8",
    "",
    text,
    "",
  ].join("\r\n");
}

/** Returns the part of config.yaml with the account `home`. The variable HOME_PASSWORD has its password. */
export function homeAccount(port: number, { authServer = true, smtp = 9 } = {}): string {
  return `mail:
  home:
    address: ann@example.com
    imap: 127.0.0.1:${port}
    smtp: 127.0.0.1:${smtp}
    user: ann
    password_env: HOME_PASSWORD
    tls: false
${authServer ? "    auth_server: mx.example.com\n" : ""}`;
}

/** A workspace, an IMAP server with the account `home` of the user `ann`, and the service that is open on it. */
export class MailWorld implements AsyncDisposable {
  #runtime: Runtime | undefined;

  private constructor(readonly imap: TestImap, readonly place: TestWorkspace) {}

  static async create(
    options: { config?: string; authServer?: boolean; smtp?: number } = {},
  ): Promise<MailWorld> {
    const imap = await startImap();
    const place = await createTestWorkspace({ shell: { HOME_PASSWORD: "secret" } });
    const { config = "", authServer = true, smtp = 9 } = options;
    await place.configure(`${homeAccount(imap.port, { authServer, smtp })}${config}`);
    // The user exists after the first mail.
    await imap.deliver("ann", mailOf({ subject: "old" }));
    return new MailWorld(imap, place);
  }

  get runtime(): Runtime {
    assert.ok(this.#runtime !== undefined, "the service runs");
    return this.#runtime;
  }

  /** Writes an agent with a mail trigger. */
  async agent(
    id: string,
    trigger = "",
    options: { steps?: unknown[]; settings?: string } = {},
  ): Promise<void> {
    const { steps = [{ say: "done" }], settings = "" } = options;
    const line = `trigger: { type: mail, account: home${trigger === "" ? "" : `, ${trigger}`} }`;
    await this.place.writeScript(id, steps, `${line}\n${settings}`.trim());
  }

  /** Opens the service. Resolves when the agents have their positions in the folders. */
  async open(
    options: Partial<OpenRuntimeOptions> & { clock?: Clock; positions?: number } = {},
  ): Promise<Runtime> {
    const { positions = 1, ...rest } = options;
    this.#runtime = await this.place.open(rest);
    await this.positions(positions);
    return this.#runtime;
  }

  /** Waits until this number of agents have a position in their folder. */
  async positions(wanted: number): Promise<void> {
    await until(
      async () => (await this.place.all("SELECT 1 FROM mail_positions")).length === wanted,
      `${wanted} agents have their positions`,
    );
  }

  async close(): Promise<void> {
    await this.#runtime?.[Symbol.asyncDispose]();
    this.#runtime = undefined;
  }

  /**
   * Delivers a mail. With `isRead` the service reads the account at once; otherwise the server announces the mail after half
   * a second.
   */
  async deliver(fields: MailFields = {}, folder?: string, { isRead = false } = {}): Promise<void> {
    await this.imap.deliver("ann", mailOf(fields), folder);
    if (isRead) await this.runtime.resumeScheduler();
  }

  /** Returns an agent's runs, oldest first. */
  runs(id: string): Promise<Execution[]> {
    return runsOf(this.runtime, id);
  }

  /** Returns the user message of a run, as soon as it has started. */
  async turn(id: number): Promise<string> {
    let turn = "";
    const hasTurn = async () => (turn = await turnOf(this.runtime, id)) !== "";
    await until(hasTurn, `run ${id} has its message`);
    return turn;
  }

  /** Returns the subject of the mail that started each run of an agent. */
  async subjects(id: string): Promise<string[]> {
    const sql = "SELECT request FROM executions WHERE agent_id = ? ORDER BY id";
    const rows = await this.place.all<{ request: string }>(sql, id);
    return rows.map(({ request }) => JSON.parse(request).cause.values.subject);
  }

  /** Waits until the agent has run for exactly these mails, in this order. */
  async untilTaken(id: string, ...subjects: string[]): Promise<void> {
    await until(
      async () => (await this.runs(id)).length >= subjects.length,
      `${id} runs for ${subjects.join(", ")}`,
    );
    assert.deepEqual(await this.subjects(id), subjects);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await this.imap[Symbol.asyncDispose]();
    await this.place[Symbol.asyncDispose]();
  }
}
