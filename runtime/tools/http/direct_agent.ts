// Agents for one request that go to its host themselves, whatever proxy the surroundings name: a proxy would look the name
// up anew, and none of our rules on addresses would hold for what it finds.
import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";

/**
 * An agent that keeps no connection and uses no proxy. Not even `agent: false` keeps Deno from a proxy under
 * NODE_USE_ENV_PROXY=1, only proxy variables of its own that are empty (measured with 2.9.6).
 */
export function createDirectAgent(protocol: string): Agent {
  const options = { proxyEnv: {} };
  return protocol === "https:" ? new SecureAgent(options) : new Agent(options);
}
