// Defines `sign_in` in config.yaml: the OpenID provider that signs people in, and the roles of its groups.
import { z } from "zod";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { isJsonObject } from "../../base/json.ts";
import { type Role, ROLE_NAMES } from "../vocabulary/rights.ts";
import {
  baseUrl,
  field,
  filledText,
  optional,
  section,
  variableName,
  waitDuration,
} from "./fields.ts";
import { diagnose, type DiagnosedFile } from "./files/diagnosed_file.ts";

/** The settings of the sign-in with OpenID Connect. */
export interface SignInSettings {
  /** The address of the provider, as its discovery document names it. */
  issuer: string;
  clientId: string;
  /** The variable with the client's secret. Undefined: the client has none. */
  clientSecretEnv: string | undefined;
  /** The role of each group. */
  groups: Readonly<Record<string, Role>>;
  /** The claim with a person's groups. */
  groupsClaim: string;
  /** The milliseconds after which a session ends. */
  sessionMs: number;
}

/** Matches the host of an address on this machine. */
export const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** The address of a provider. Its answers decide who gets in, so they need TLS outside of this machine. */
export const issuerAddress = baseUrl.refine((text) => {
  const url = URL.parse(text);
  return url?.protocol !== "http:" || LOOPBACK.test(url.hostname);
}, "must be an https address");

/** The schema of `sign_in`. */
export const SIGN_IN = section({
  issuer: optional(issuerAddress).meta({
    description: "The OpenID provider that signs people in; needs `public_url`",
  }),
  client_id: optional(filledText).meta({
    description: "The id of Inkling at the provider; required with `issuer`",
  }),
  client_secret_env: optional(variableName).meta({
    description: "The variable that holds the client's secret",
    default: "the client has no secret",
  }),
  groups: field(
    z.record(filledText, z.enum(ROLE_NAMES)),
    {},
    "The role of each group: `{ staff: viewer, platform: admin }`; nobody without a group gets in",
  ).meta({ values: "map of groups to roles" }),
  groups_claim: field(filledText, "groups", "The claim in which the provider sends the groups"),
  session: field(waitDuration, "12h", "The duration after which people have to sign in again"),
}).superRefine(({ issuer, client_id, client_secret_env, groups }, context) => {
  const lack = (message: string) => context.addIssue({ code: "custom", message });
  const hasGroups = Object.keys(groups).length > 0;
  if (issuer === undefined) {
    if (client_id !== undefined || client_secret_env !== undefined || hasGroups) {
      lack("must have issuer: the address of the OpenID provider");
    }
    return;
  }
  if (client_id === undefined) lack("must have client_id: the id of Inkling at the provider");
  if (!hasGroups) lack("must have groups with their roles, because nobody else gets in");
});

/** Converts `sign_in` of a file without errors. Returns null if there is no sign-in. */
export function toSignIn(written: z.output<typeof SIGN_IN>): SignInSettings | null {
  const { issuer, client_id: clientId } = written;
  if (issuer === undefined || clientId === undefined) return null;
  return {
    issuer,
    clientId,
    clientSecretEnv: written.client_secret_env,
    groups: written.groups,
    groupsClaim: written.groups_claim,
    sessionMs: written.session,
  };
}

/** Returns the error about a sign-in whose provider could not send the browser back. */
export function checkSignIn(file: DiagnosedFile): Diagnostic[] {
  const { sign_in: signIn, public_url: publicUrl } = file.document.value;
  if (!isJsonObject(signIn) || signIn["issuer"] == null || publicUrl != null) return [];
  const message = "sign_in needs public_url: the provider sends the browser back to this address";
  return [diagnose(file, ["sign_in"], { message }, "key")];
}
