// Defines the schemas of the sign-ins to remote MCP servers.
import { z } from "zod";

/** The servers to which a person can sign in. */
export const SignInList = z.array(
  z.object({
    server: z.string(),
    state: z.enum(["done", "needed", "none"]).meta({
      description: "`needed` if the stored sign-in has ended; `none` if there is none yet",
    }),
  }).meta({ id: "ServerSignIn" }),
);

export const BeginSignInBody = z.object({
  server: z.string().min(1).meta({ description: "The server's name in mcp-servers.json" }),
  page: z.url({ protocol: /^https?$/ }).meta({
    description: "The address at which the browser reaches the service: a loopback address, or " +
      "`public_url`. The authorization server sends the browser back to `/sign-in/callback` below it",
  }),
}).meta({ id: "BeginSignIn" });

export const BegunSignInBody = z.object({
  address: z.string().meta({ description: "The page of the authorization server" }),
}).meta({ id: "BegunSignIn" });
