// What `new` needs of the program around it (see CliApp), as the runtime declares it.
export type {
  AgentAuthor,
  AgentStart,
  NewAgentFields,
} from "../../runtime/authoring/agent_author.ts";
export type { DraftRequest } from "../../runtime/authoring/agent_draft.ts";
