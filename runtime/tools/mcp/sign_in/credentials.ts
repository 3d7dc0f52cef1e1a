// Defines the stored sign-in to one remote MCP server: the registered client, the authorization server and the tokens.
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { isJsonObject } from "../../../../base/json.ts";
import { hiddenParts, type Secret } from "../../../secrets/secret.ts";

/** The part of a token's lifetime after which the token is replaced. */
const USED_PART = 0.8;

/** An object that the client package wrote. The package checks the parts that it uses. */
const objectWith = <Value>(...texts: string[]) =>
  z.custom<Value>((value) =>
    isJsonObject(value) && texts.every((key) => typeof value[key] === "string")
  );

const storedCredentials = z.object({
  /** The server's name in mcp-servers.json. */
  server: z.string(),
  /** The server's URL. The tokens are sent to no other URL. */
  url: z.string(),
  /** The identifier of the authorization server. The tokens and the client's secret are sent to no other one. */
  issuer: z.string(),
  client: objectWith<StoredOAuthClientInformation>("client_id"),
  discovery: objectWith<OAuthDiscoveryState>("authorizationServerUrl"),
  /** The address to which the browser returns. Undefined for the grant `client_credentials`. */
  redirectUrl: z.string().optional(),
  /** The tokens. Undefined after the authorization server has refused to renew them. */
  tokens: objectWith<StoredOAuthTokens>("access_token", "token_type").optional(),
  /** The time at which the tokens were received, by this machine's clock. */
  receivedAt: z.number(),
});

/** The sign-in to one server at one authorization server. */
export type Credentials = z.output<typeof storedCredentials>;

/** Replaces the stored credentials of a server. Undefined removes them. */
export type SaveCredentials = (credentials: Credentials | undefined) => Promise<void>;

/** The stored sign-ins of one workspace. Reads and changes reject with SignInFailure if they cannot be decrypted. */
export interface CredentialStore {
  /** Returns the stored credentials of a server, or undefined. */
  read(server: string): Promise<Credentials | undefined>;
  /**
   * Runs `work` with the stored credentials while no other run, process or machine changes them. `work` saves new
   * credentials with `save`.
   */
  change<T>(
    server: string,
    work: (current: Credentials | undefined, save: SaveCredentials) => Promise<T>,
  ): Promise<T>;
  /** Removes the credentials of a server, even if they cannot be decrypted. */
  forget(server: string): Promise<void>;
}

/** Parses stored credentials. Returns undefined if the text is not valid, so that the person signs in again. */
export function parseCredentials(text: string): Credentials | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return undefined; // The error is dropped, because its message contains a part of the text.
  }
  return storedCredentials.safeParse(content).data;
}

/** Returns the time at which the tokens are to be renewed, and their end. Both are infinite for tokens without an end. */
export function lifetimeOf({ tokens, receivedAt }: Credentials): { dueAt: number; endsAt: number } {
  const ms = (tokens?.expires_in ?? Infinity) * 1_000;
  return { dueAt: receivedAt + ms * USED_PART, endsAt: receivedAt + ms };
}

/** Returns the values that no output may contain. */
export function secretsOf({ server, client, tokens }: Credentials): Secret[] {
  const values = [
    tokens?.access_token,
    tokens?.refresh_token,
    tokens?.id_token,
    client.client_secret,
    "registration_access_token" in client ? client.registration_access_token : undefined,
  ];
  const name = `token of ${server}`;
  return values.flatMap((value) => typeof value === "string" ? hiddenParts(value) : [])
    .map((value) => ({ name, value }));
}
