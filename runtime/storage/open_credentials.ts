// Opens the stored sign-ins to remote MCP servers: in the shared database if the nodes have a key, otherwise in the state
// folder.
import type { Clock } from "../../base/clock.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import type { Database } from "../database/database.ts";
import { CredentialFiles } from "../tools/mcp/sign_in/credential_files.ts";
import type { CredentialStore } from "../tools/mcp/sign_in/credentials.ts";
import { TokenSecrets } from "../tools/mcp/sign_in/token_secrets.ts";

// Loaded only if nodes share the sign-ins.
const loadSharedCredentials = lazyModule(() => import("./shared_credentials.ts"));
const loadPostgres = lazyModule(() => import("./postgres/postgres_database.ts"));

/** The workspace, and the clock for the ends of tokens. */
export interface CredentialOptions {
  settings: Pick<WorkspaceSettings, "database"> & {
    directories: Pick<WorkspaceSettings["directories"], "stateDir">;
  };
  clock: Clock;
}

/** Opens the sign-ins of a workspace. Opens the shared database if it is not given, and adds it to `resources`. */
export async function openCredentials(
  { settings: { database, directories }, resources, ...options }: CredentialOptions & {
    secrets: TokenSecrets;
    db?: Database;
    resources: AsyncDisposableStack;
  },
): Promise<CredentialStore> {
  if (database?.tokenKey === undefined) {
    return new CredentialFiles({ ...options, stateDir: directories.stateDir });
  }
  const { address, tokenKey: key } = database;
  const [{ SharedCredentials }, { PostgresDatabase }] = await Promise.all([
    loadSharedCredentials(),
    loadPostgres(),
  ]);
  const db = options.db ??
    resources.use(await PostgresDatabase.open({ address, connections: 2, migrates: false }));
  return new SharedCredentials({ ...options, db, key });
}

/** Runs `work` with the sign-ins of a workspace, in a process that has not opened its database. */
export async function withCredentials<T>(
  options: CredentialOptions,
  work: (credentials: CredentialStore) => Promise<T>,
): Promise<T> {
  await using resources = new AsyncDisposableStack();
  return await work(await openCredentials({ ...options, secrets: new TokenSecrets(), resources }));
}
