// Connects the sign-in with OpenID Connect to the port of the service. Loads the provider's client with the first request
// that needs it, and nothing if config.yaml has no `sign_in`.
import { lazyModule } from "../../base/lazy_module.ts";
import { RequestRefused } from "../../api/errors.ts";
import { OPENID_PATHS } from "../../runtime/vocabulary/sign_in_paths.ts";
import type { LoginLink } from "../login/login.ts";
import type { PortGuard, TokenGuard } from "../middleware/api_key.ts";
import type { OpenIdPorts, OpenIdSignIn } from "./openid_sign_in.ts";

const load = lazyModule(() => import("./openid_sign_in.ts"));
const PATHS: readonly string[] = Object.values(OPENID_PATHS);
const BROWSER_PATHS: readonly string[] = [OPENID_PATHS.start, OPENID_PATHS.callback];

/** The sign-in on one port. */
export interface OpenIdGuards extends PortGuard {
  /** Returns the link of the log-in page. */
  findLink(): LoginLink | undefined;
  tokens: TokenGuard;
}

/** Creates the sign-in of one port. Its middleware answers browsers, and clients that request the provider of /mcp. */
export function createOpenId(ports: OpenIdPorts): OpenIdGuards {
  const { runtime } = ports;
  // Read the settings at each request, because config.yaml may change.
  const settings = () => runtime.config.signIn;
  const admits = ({ url }: Request) =>
    settings() !== null && PATHS.includes(URL.parse(url)?.pathname ?? "");
  let signIn: OpenIdSignIn | undefined;
  const open = async () => signIn ??= new (await load()).OpenIdSignIn(ports);
  return {
    admits,
    isFollowed: (request) =>
      request.method === "GET" && admits(request) &&
      BROWSER_PATHS.includes(new URL(request.url).pathname),
    findLink() {
      const { issuer } = settings() ?? {};
      if (issuer === undefined) return undefined;
      // The whole address, because the cookie of the sign-in is valid for the callback's host only.
      const address = `${runtime.config.publicUrl}${OPENID_PATHS.start}`;
      return { address, label: `Sign in with ${new URL(issuer).host}` };
    },
    tokens: {
      async find(token) {
        // Only a JWT can be checked.
        if (settings() === null || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
        return await (await open()).findTokenOwner(token);
      },
      challenge: (hasToken) =>
        settings() === null
          ? undefined
          : `Bearer resource_metadata="${runtime.config.publicUrl}${OPENID_PATHS.mcpResource}"` +
            (hasToken ? ', error="invalid_token"' : ""),
    },
    async respond(c, next) {
      const { method, path, raw } = c.req;
      const issuer = settings()?.issuer;
      if (issuer === undefined || !PATHS.includes(path)) return await next();
      // HEAD must not use the answer up.
      if (method !== "GET") {
        throw new RequestRefused(405, "Method Not Allowed", { headers: { allow: "GET" } });
      }
      if (path === OPENID_PATHS.start) return await (await open()).begin();
      if (path === OPENID_PATHS.callback) return await (await open()).finish(raw, c.env?.address);
      return c.json({
        resource: `${runtime.config.publicUrl}/mcp`,
        authorization_servers: [issuer],
        bearer_methods_supported: ["header"],
      });
    },
  };
}
