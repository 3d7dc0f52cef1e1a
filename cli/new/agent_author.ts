// What `new` needs of the program around it (see CliApp), as the runtime declares it.
export type { AgentAuthor, AgentStart, NewAgentFields } from "../../ops/authoring/agent_author.ts";
export type { DraftRequest } from "../../ops/authoring/agent_draft.ts";
