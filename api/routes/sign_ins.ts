// The operations on the sign-ins of people to remote MCP servers.
import { operation } from "../operations/operation.ts";
import { writeSignInCookie } from "../operations/sign_in_cookie.ts";
import { BeginSignInBody, BegunSignInBody, SignInList } from "../schemas/sign_in_schemas.ts";

export const signIns = operation({
  summary: "The sign-ins to remote MCP servers",
  description: "Lists the servers to which a person can sign in. Sends no request to them.",
  response: SignInList,
  handle: async (_request, { runtime }) => await (await runtime.signIns()).list(),
});

export const beginSignIn = operation({
  summary: "Begin a person's sign-in to a remote MCP server",
  description:
    "The browser that sends this request opens the address within 10 minutes. Only this " +
    "browser can complete the sign-in, because the response sets a cookie.",
  body: BeginSignInBody,
  response: BegunSignInBody,
  errors: [409],
  async handle({ body: { server, page }, setHeader }, { runtime, caller }) {
    const begun = await (await runtime.signIns()).begin(server, page, caller);
    setHeader(
      "set-cookie",
      writeSignInCookie(begun, { isSecure: page.startsWith("https:") }),
    );
    return begun;
  },
});
