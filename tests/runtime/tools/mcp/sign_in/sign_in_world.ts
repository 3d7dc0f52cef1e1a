// An MCP server that needs a sign-in, its authorization server, and a workspace with an entry for it.
import { SystemClock } from "../../../../../base/clock.ts";
import { signIn } from "../../../../../ops/install/server_sign_in.ts";
import type { WorkspaceSettings } from "../../../../../runtime/config/settings.ts";
import { ServerTokens } from "../../../../../runtime/tools/mcp/sign_in/server_tokens.ts";
import { startSignIn } from "../../../../../runtime/tools/mcp/sign_in/sign_in.ts";
import {
  declaredOAuth,
  resolveOAuth,
  type ServerOAuth,
} from "../../../../../runtime/tools/mcp/servers_file/declared_oauth.ts";
import { AuthorizationServer } from "../../../../support/machine/authorization_server.ts";
import { LogLines } from "../../../../support/log_lines.ts";
import { TestClock } from "../../../../support/test_clock.ts";
import type { SandboxFixture } from "../../files/sandbox_fixture.ts";
import { FixtureHttpServer } from "../http_server.ts";
import { openMcpWorld } from "../mcp_world.ts";

export const REDIRECT = "http://127.0.0.1:50000/callback";

export type SignInWorld = Awaited<ReturnType<typeof createWorld>>;

/** Signs in to `remote` like a person with `inkling mcp login`. Returns the result of the command. */
export async function signInAsPerson(
  settings: WorkspaceSettings,
  auth: AuthorizationServer,
): ReturnType<typeof signIn> {
  const { signal } = new AbortController();
  const open = async (address: string) =>
    void (await (await fetch(await auth.consent(address))).body?.cancel());
  return await signIn("remote", { open }, { settings, clock: new SystemClock(), signal });
}

/** Opens both servers and a workspace whose entry `remote` has these fields of `oauth`. */
export const openSignInWorld: typeof createWorld = createWorld;

async function createWorld(
  options: { oauth?: Record<string, unknown>; fixture?: SandboxFixture; clock?: TestClock } = {},
) {
  await using stack = new AsyncDisposableStack();
  const auth = stack.use(new AuthorizationServer());
  const server = stack.use(new FixtureHttpServer());
  server.intercept = (request) => auth.guard(request);
  const clock = options.clock ?? new TestClock();
  auth.now = () => clock.now();
  const world = stack.use(
    await openMcpWorld({ clock, ...(options.fixture && { fixture: options.fixture }) }),
  );
  const { oauth: fields } = options;
  await world.define({ remote: { url: server.url, ...(fields && { oauth: fields }) } });
  const resolved = resolveOAuth(
    fields && declaredOAuth.parse(fields),
    (name) => world.variables.get(name),
  );
  const oauth: ServerOAuth = "oauth" in resolved
    ? resolved.oauth
    : { isDeclared: true, grant: "authorization_code" };
  const { credentials } = world;
  const kept = stack.move();
  return Object.assign(world, {
    auth,
    server,
    clock,
    oauth,
    /** Signs in to `remote` as a person does, and stores the tokens. */
    async signIn({ change = () => {} }: { change?: (answer: URL) => void } = {}) {
      const former = await credentials.read("remote");
      const request = { server: "remote", url: server.url, oauth, former, clock };
      const started = await startSignIn(request, REDIRECT);
      const answer = new URL(await auth.consent(started.address.href));
      change(answer);
      const received = await started.finish(answer.searchParams);
      await credentials.change("remote", (_before, save) => save(received));
    },
    /** Returns the tokens as another process sees them. */
    tokens: () =>
      new ServerTokens({ name: "remote", url: server.url, oauth, headers: {} }, {
        credentials,
        clock,
        log: new LogLines(),
      }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  });
}
