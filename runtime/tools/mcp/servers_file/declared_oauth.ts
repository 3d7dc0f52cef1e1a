// Declares the field `oauth` of an entry in mcp-servers.json, and resolves it: the client and the kind of the sign-in.
import { z } from "zod";
import { filledText } from "../../../config/fields.ts";
import { hiddenParts, type Secret } from "../../../secrets/secret.ts";

const variable = z.string().regex(
  /^[A-Za-z_][A-Za-z0-9_]*$/,
  "must be the name of an environment variable",
);

/** The schema of the field `oauth`. Nothing is needed for a server that lets clients register. */
export const declaredOAuth = z.strictObject({
  client_id: filledText.optional().meta({
    description: "The id of a client that you created at the authorization server",
  }),
  client_secret_env: variable.optional().meta({
    description: "The environment variable with the client's secret",
  }),
  private_key_env: variable.optional().meta({
    description: "The environment variable with the client's private key, in PEM or JWK notation",
  }),
  grant: z.enum(["authorization_code", "client_credentials"]).default("authorization_code").meta({
    description: "`authorization_code`: a person signs in; `client_credentials`: the client does",
  }),
  scopes: z.array(z.string().regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/, "must be single scopes"))
    .min(1).optional().meta({ description: "The scopes; default: those that the server names" }),
  issuer: z.url({ protocol: /^https?$/, error: "must be a web address" }).optional().meta({
    description: "The only authorization server that is accepted",
  }),
  redirect_port: z.int().min(1).max(65_535).optional().meta({
    description:
      "The port to which the browser returns after `inkling mcp login`; default: a free one",
  }),
}).superRefine((oauth, context) => {
  const proofs = [oauth.client_secret_env, oauth.private_key_env].filter((one) =>
    one !== undefined
  );
  const issue = (message: string) => context.addIssue({ code: "custom", message });
  if (proofs.length === 2) issue("has both client_secret_env and private_key_env: keep one");
  if (proofs.length > 0 && oauth.client_id === undefined) issue("needs a client_id, too");
  if (oauth.grant === "client_credentials" && proofs.length === 0) {
    issue(
      "needs client_id and one of client_secret_env and private_key_env for client_credentials",
    );
  }
});

/** The field with the values of its variables. */
export type ServerOAuth = z.output<typeof declaredOAuth> & {
  /** True if the entry has the field, so that the server is known to need a sign-in. */
  isDeclared: boolean;
  clientSecret?: string | undefined;
  privateKey?: string | undefined;
};

/** Returns the resolved field and its secret values, or the problem as a clause. */
export function resolveOAuth(
  declared: z.output<typeof declaredOAuth> | undefined,
  lookup: (name: string) => string | undefined,
): { oauth: ServerOAuth; secrets: Secret[] } | { problem: string } {
  if (declared === undefined) {
    return { oauth: { isDeclared: false, grant: "authorization_code" }, secrets: [] };
  }
  const { client_secret_env: secretName, private_key_env: keyName } = declared;
  const secrets: Secret[] = [];
  for (const name of [secretName, keyName]) {
    if (name === undefined) continue;
    const value = lookup(name);
    if (value === undefined || value.trim() === "") {
      return { problem: `oauth names ${name}, which is not set: set it in the workspace's .env` };
    }
    secrets.push(...hiddenParts(value).map((part) => ({ name, value: part })));
  }
  const clientSecret = secretName && lookup(secretName)?.trim();
  const privateKey = keyName && lookup(keyName);
  return { oauth: { ...declared, isDeclared: true, clientSecret, privateKey }, secrets };
}
