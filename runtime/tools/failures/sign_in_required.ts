// The error for a run that needs a person to sign in to an MCP server.
import { ToolsUnavailable } from "./tools_unavailable.ts";

/** Error: the tools of an MCP server are unavailable until a person has signed in. The run can wait for that. */
export class SignInRequired extends ToolsUnavailable {
  readonly server: string;

  constructor(message: string, { server, ...options }: ErrorOptions & { server: string }) {
    super(message, options);
    this.server = server;
  }
}
