// Defines `sign_in` in config.yaml: the OpenID provider that signs people in, and the roles of its groups.
import { z } from "zod";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { isJsonObject } from "../../base/json.ts";
import { type CamelKeys, camelKeys } from "../../base/text/key_case.ts";
import { ROLE_NAMES } from "../vocabulary/rights.ts";
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

/** The settings of the sign-in with OpenID Connect. `sessionMs` is `session` in milliseconds. */
export type SignInSettings =
  & Omit<CamelKeys<z.output<typeof SIGN_IN>>, "issuer" | "clientId" | "session">
  & { issuer: string; clientId: string; sessionMs: number };

/** Converts `sign_in` of a file without errors. Returns null if there is no sign-in. */
export function toSignIn(written: z.output<typeof SIGN_IN>): SignInSettings | null {
  const { issuer, clientId, session: sessionMs, ...rest } = camelKeys(written);
  if (issuer === undefined || clientId === undefined) return null;
  return { ...rest, issuer, clientId, sessionMs };
}

/** Returns the error about a sign-in whose provider could not send the browser back. */
export function checkSignIn(file: DiagnosedFile): Diagnostic[] {
  const { sign_in: signIn, public_url: publicUrl } = file.document.value;
  if (!isJsonObject(signIn) || signIn["issuer"] == null || publicUrl != null) return [];
  const message = "sign_in needs public_url: the provider sends the browser back to this address";
  return [diagnose(file, ["sign_in"], { message }, "key")];
}
