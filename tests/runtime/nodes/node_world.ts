// Machines over one PostgreSQL, in this process: each with a state directory of its own, all with the same workspace.
// @ts-types="@types/pg"
import pg from "pg";
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { loadSettings, openRuntime } from "../../../runtime/mod.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { createTestPostgres, type TestPostgres, withPostgres } from "../../support/postgres.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";

/** A workspace and a database, to be opened by as many machines as a test needs. */
export class NodeWorld implements AsyncDisposable {
  private constructor(readonly workspace: TestWorkspace, readonly database: TestPostgres) {}

  /** A new database on the server at this address; without one, on the server that tests share. */
  static async create(server?: string): Promise<NodeWorld> {
    const database = await createTestPostgres(server);
    return new NodeWorld(
      await createTestWorkspace({ shell: { INKLING_DATABASE_URL: "" } }),
      database,
    );
  }

  get address(): string {
    return this.database.address;
  }

  /** A machine whose label is its name; `more`: further lines of its config.yaml. */
  async open(name: string, more = "", { clock }: { clock?: Clock } = {}): Promise<Runtime> {
    const { root, workspace, shell } = this.workspace;
    const configDir = join(root, `config-${name}`);
    await Deno.mkdir(configDir, { recursive: true });
    const node = more.includes("node:") ? "" : `node: { name: ${name}, labels: [${name}] }\n`;
    const content = `workspace: ${workspace}\ndatabase: ${this.address}\n${node}${more}`;
    await Deno.writeTextFile(join(configDir, "config.yaml"), content);
    const own = { INKLING_CONFIG_DIR: configDir, INKLING_STATE_DIR: join(root, `state-${name}`) };
    return await openRuntime({
      settings: await loadSettings({ shell: { ...shell, ...own }, home: root }),
      version: "0.0.0-test",
      mode: "service",
      ...(clock !== undefined && { clock }),
      log: {
        write: (level, message, fields = {}) =>
          void this.workspace.logged.push({ level, message, fields: { node: name, ...fields } }),
      },
    });
  }

  /** Rows of the database. */
  async query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.address });
    await client.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.workspace[Symbol.asyncDispose]();
    await this.database[Symbol.asyncDispose]();
  }
}

/** Registers a test of several machines with a new database. Skips it without PostgreSQL. */
export function testNodes(
  name: string,
  work: (world: NodeWorld, t: Deno.TestContext) => Promise<void>,
): void {
  withPostgres.test(`nodes: ${name}`, async (t) => {
    await using world = await NodeWorld.create();
    await work(world, t);
  });
}
