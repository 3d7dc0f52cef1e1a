// Several nodes in this process that share a PostgreSQL database and a workspace. Each node has its own state directory.
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { loadSettings, openRuntime } from "../../../runtime/mod.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import {
  createTestPostgres,
  openClient,
  type TestPostgres,
  withPostgres,
} from "../../support/postgres.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";

/** A workspace and a database for any number of nodes. */
export class NodeWorld implements AsyncDisposable {
  /** The address of the database for the nodes. A test may replace it by the address of a proxy. */
  address: string;

  private constructor(readonly workspace: TestWorkspace, readonly database: TestPostgres) {
    this.address = database.address;
  }

  /** Creates a world with a new database, on the server at this address or on the shared server. */
  static async create(server?: string): Promise<NodeWorld> {
    const database = await createTestPostgres(server);
    return new NodeWorld(
      await createTestWorkspace({ shell: { INKLING_DATABASE_URL: "" } }),
      database,
    );
  }

  /** Writes the config.yaml of a node whose label is its name, with `more` at its end. Returns the node's environment. */
  async prepare(name: string, more = ""): Promise<Record<string, string>> {
    const { root, workspace, shell } = this.workspace;
    const configDir = join(root, `config-${name}`);
    await Deno.mkdir(configDir, { recursive: true });
    const node = more.includes("node:") ? "" : `node: { name: ${name}, labels: [${name}] }\n`;
    const content = `workspace: ${workspace}\ndatabase: ${this.address}\n${node}${more}`;
    await Deno.writeTextFile(join(configDir, "config.yaml"), content);
    const stateDir = join(root, `state-${name}`);
    return { ...shell, INKLING_CONFIG_DIR: configDir, INKLING_STATE_DIR: stateDir };
  }

  /** Opens a node whose label is its name; `more` is appended to its config.yaml. */
  async open(name: string, more = "", { clock }: { clock?: Clock } = {}): Promise<Runtime> {
    const shell = await this.prepare(name, more);
    return await openRuntime({
      settings: await loadSettings({ shell, home: this.workspace.root }),
      version: "0.0.0-test",
      mode: "service",
      ...(clock !== undefined && { clock }),
      log: {
        write: (level, message, fields = {}) =>
          void this.workspace.logged.push({ level, message, fields: { node: name, ...fields } }),
      },
    });
  }

  /** Runs a statement in the shared database and returns its rows. */
  async query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    await using client = await openClient(this.database.address);
    return (await client.query(text, values)).rows;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.workspace[Symbol.asyncDispose]();
    await this.database[Symbol.asyncDispose]();
  }
}

/** Registers a test of several nodes with a new database. The test is skipped without PostgreSQL. */
export function testNodes(
  name: string,
  work: (world: NodeWorld, t: Deno.TestContext) => Promise<void>,
): void {
  withPostgres.test(`nodes: ${name}`, async (t) => {
    await using world = await NodeWorld.create();
    await work(world, t);
  });
}
