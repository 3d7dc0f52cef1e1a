// Checks the sign-in with OpenID Connect (the client's secret, and the provider's discovery document), and the name of
// the person on this machine.
import { isJsonObject, isWholeJson } from "../../base/json.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import type { Finding } from "./finding.ts";

/** The milliseconds that the provider has to answer. */
const TIMEOUT_MS = 10_000;
/** The addresses that the sign-in needs. */
const NEEDED = ["authorization_endpoint", "token_endpoint", "jwks_uri"];

/** Checks the sign-in of config.yaml. Returns no findings if there is none. */
export async function checkSignIn({ config, environment }: WorkspaceSettings): Promise<Finding[]> {
  const { signIn } = config;
  if (signIn === null) return [];
  const { issuer, clientSecretEnv: variable } = signIn;
  const find = (problem: string, remedy: string): Finding[] => [
    { severity: "error", subject: "sign_in", problem, remedy },
  ];
  if (variable !== undefined && !environment.get(variable)?.trim()) {
    return find(
      `Nobody can sign in: ${variable} is not set`,
      `set ${variable} to the client's secret`,
    );
  }
  const address = `${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`;
  const remedy = `check sign_in.issuer in ${config.path}, and open ${address}`;
  const document = await readDocument(address);
  if ("problem" in document) return find(`${address} ${document.problem}`, remedy);
  const named = document["issuer"];
  if (typeof named !== "string" || URL.parse(named)?.href !== new URL(issuer).href) {
    return find(`${address} names another issuer: ${String(named)}`, remedy);
  }
  const missing = NEEDED.filter((key) => typeof document[key] !== "string");
  return missing.length === 0 ? [] : find(`${address} has no ${missing.join(" and no ")}`, remedy);
}

/** Reports that the person on this machine has no name, so that agents with a rule about approvals do not accept the answers. */
export function checkOwner({ config, shell }: WorkspaceSettings): Finding[] {
  if ((config.service.owner ?? shell["USER"] ?? shell["LOGNAME"]) !== undefined) return [];
  return [{
    severity: "warning",
    subject: "service.owner",
    problem: "Answers on this machine have no name, so agents with approvers or approvals do not " +
      "accept them: neither USER nor LOGNAME is set",
    remedy: `add your name to ${config.path}: service: { owner: … }`,
  }];
}

async function readDocument(
  address: string,
): Promise<{ problem: string } | Readonly<Record<string, unknown>>> {
  let response: Response;
  try {
    response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "error" });
  } catch (error) {
    // Reported as the flag that is missing.
    if (error instanceof Deno.errors.NotCapable) throw error;
    return { problem: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
  const text = await response.text().catch(() => "");
  if (!response.ok) return { problem: `responds with status ${response.status}` };
  const document: unknown = isWholeJson(text) ? JSON.parse(text) : undefined;
  if (isJsonObject(document)) return document;
  return { problem: "is not the document of an OpenID provider" };
}
