// Tests a person's sign-in to an MCP server in a browser: at the port, through the proxy of `inkling ui`, and behind a TLS
// proxy with a path.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { createUiLink } from "../../../server/ui/ui_links.ts";
import { openUiProxy } from "../../../server/ui/ui_proxy.ts";
import { FixtureHttpServer } from "../../runtime/tools/mcp/http_server.ts";
import { AuthorizationServer } from "../../support/machine/authorization_server.ts";
import { testInBrowser as test } from "../../support/machine/browser.ts";
import { expectNoFault } from "../../support/machine/expect_no_fault.ts";
import { runToEnd, type TestWorkspace } from "../../support/test_workspace.ts";
import { type DashboardWorld, openDashboardWorld, untilSeen } from "./dashboard_world.ts";
import { logIn, WITHOUT_KEY } from "./page_actions.ts";
import { openOwnProxy } from "./own_proxy.ts";
import { createTestCertificate } from "./test_certificate.ts";

/** The authorization server in the browser. Its host is another site than the service's. */
const LOGIN_SITE = "https://login.example";

interface SignInWorld extends DashboardWorld {
  auth: AuthorizationServer;
}

/** Opens a service with an agent whose server needs a sign-in. One of its runs waits. */
async function openWorld(browser: Browser, config = ""): Promise<SignInWorld> {
  await using stack = new AsyncDisposableStack();
  const auth = stack.use(new AuthorizationServer());
  auth.metadata = { authorization_endpoint: `${LOGIN_SITE}/authorize` };
  const server = stack.use(new FixtureHttpServer());
  server.intercept = (request) => auth.guard(request);
  const prepare = async ({ agentsDir, configDir, writeScript }: TestWorkspace) => {
    await Deno.mkdir(join(agentsDir, "_config"), { recursive: true });
    await Deno.writeTextFile(
      join(agentsDir, "_config/mcp-servers.json"),
      JSON.stringify({ tracker: { url: server.url }, local: { command: "x" } }),
    );
    const call = { call: [{ name: "echo", arguments: { text: "hello" } }] };
    await writeScript("caller", [call, { say: "Heard {result}" }], "mcp: [tracker]");
    await writeScript("both", [{ say: "done" }], "mcp: [tracker, local]");
    await Deno.writeTextFile(join(configDir, "config.yaml"), config, { append: true });
  };
  const world = stack.use(await openDashboardWorld(browser, prepare));
  assert.equal((await runToEnd(world.runtime(), "caller")).status, "waiting");
  const kept = stack.move();
  return Object.assign(world, { auth, [Symbol.asyncDispose]: () => kept.disposeAsync() });
}

/** Shows the authorization server's page in the browser: a link that a person clicks to consent. */
async function showConsent(page: Page, auth: AuthorizationServer): Promise<void> {
  await page.route(`${LOGIN_SITE}/**`, async (route) => {
    const { search } = new URL(route.request().url());
    const answer = await auth.consent(`${auth.issuer}/authorize${search}`);
    const body = `<!doctype html><a href="${answer.replaceAll("&", "&amp;")}">Allow</a>`;
    await route.fulfill({ contentType: "text/html", body });
  });
}

/** Signs in from the question of the waiting run, and returns to the page, where the run has ended. */
async function signIn(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Sign in to tracker" }).click();
  await page.getByRole("link", { name: "Allow" }).click();
  await page.getByRole("heading", { name: "Signed in", exact: true }).waitFor();
  await page.getByText("The run that waited for it can continue.").waitFor();
}

test("dashboard: a sign-in at the port continues the run that waits", async (browser) => {
  await using world = await openWorld(browser);
  const page = await world.openPage("#/agents/both", WITHOUT_KEY);
  await showConsent(page, world.auth);
  await logIn(page);
  const servers = page.locator(".figure", { hasText: "MCP servers" });
  await servers.getByText("tracker not signed in").waitFor();
  assert.deepEqual(await servers.getByRole("button").allInnerTexts(), ["Sign in"]);
  await expectNoFault(page, "an agent with a server", "main .figures");
  await page.goto(`${world.origin}/ui#/`);
  await page.getByText("it needs a sign-in").waitFor();
  await expectNoFault(page, "the question of a sign-in", "[data-request]");
  await signIn(page);
  await expectNoFault(page, "the end of a sign-in", ":root");
  assert.equal(await page.evaluate("document.cookie"), "");
  const cookies = await page.context().cookies();
  assert.deepEqual(cookies.filter(({ name }) => name.startsWith("inkling_sign_in")), []);
  // The answer is used.
  await page.reload();
  await page.getByText("This sign-in is over").waitFor();
  await page.getByRole("link", { name: "Back to Inkling" }).click();
  await page.getByText("No question is open").or(page.getByText("Nothing is running.")).first()
    .waitFor();
  await page.goto(`${world.origin}/ui#/agents/both`);
  await servers.getByText("tracker signed in").waitFor();
  assert.equal(await servers.getByRole("button").count(), 0);
  await untilSeen(async () => {
    const [run] = await world.runtime().listExecutions({ limit: 1, offset: 0 });
    return run?.status === "success";
  }, "the run has ended");
});

test("dashboard: a sign-in through the proxy of inkling ui comes back without a log-in", async (browser) => {
  await using world = await openWorld(browser);
  const { socketFile, stateDir } = world.runtime().directories;
  await using proxy = await openUiProxy({ stateDir, socketFile, home: "/ui", warn: () => {} });
  const { address } = await createUiLink({ stateDir, port: proxy.port });
  const page = await world.openPage(null, WITHOUT_KEY);
  await showConsent(page, world.auth);
  await page.goto(address);
  // The address of the answer works in no other browser.
  const other = await browser.newContext();
  await page.getByRole("button", { name: "Sign in to tracker" }).click();
  await page.getByRole("link", { name: "Allow" }).waitFor();
  const stolen = await page.getByRole("link", { name: "Allow" }).getAttribute("href") ?? "";
  assert.ok(stolen.startsWith(`http://127.0.0.1:${proxy.port}/sign-in/callback?`), stolen);
  const thief = await other.newPage();
  await thief.goto(stolen);
  await thief.getByText("Another browser began this sign-in").waitFor();
  await other.close();
  await page.getByRole("link", { name: "Allow" }).click();
  await page.getByRole("heading", { name: "Signed in", exact: true }).waitFor();
  await page.getByRole("link", { name: "Back to Inkling" }).click();
  await page.getByText("Nothing is running.").waitFor();
});

test("dashboard: a sign-in returns to public_url, behind a TLS proxy with a path", async (browser) => {
  let target = "";
  await using certificate = await createTestCertificate();
  await using proxy = openOwnProxy({ target: () => target, tls: certificate });
  await using world = await openWorld(browser, `public_url: "${proxy.origin}/inkling"\n`);
  target = world.origin;
  const page = await world.openPage(null, { ...WITHOUT_KEY, ignoreHTTPSErrors: true });
  await showConsent(page, world.auth);
  await page.goto(`${proxy.origin}/inkling/`);
  await logIn(page);
  await page.getByRole("button", { name: "Sign in to tracker" }).click();
  await page.getByRole("link", { name: "Allow" }).waitFor();
  const [cookie] = (await page.context().cookies()).filter(({ name }) => name.includes("sign_in"));
  const { path, httpOnly, secure, sameSite } = cookie ?? {};
  assert.deepEqual({ path, httpOnly, secure, sameSite }, {
    path: "/inkling/sign-in",
    httpOnly: true,
    secure: true,
    sameSite: "Lax",
  });
  await page.getByRole("link", { name: "Allow" }).click();
  await page.getByRole("heading", { name: "Signed in", exact: true }).waitFor();
  await page.getByRole("link", { name: "Back to Inkling" }).click();
  await page.getByText("Nothing is running.").waitFor();
  assert.equal(new URL(page.url()).pathname, "/inkling/ui");
  await page.context().close();
});
