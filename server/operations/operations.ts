// Every endpoint of the API, in the order of their registration (see operation_places.ts) and of their description.
import type { Operation } from "./operation.ts";
import { agentOperations } from "../routes/agents.ts";
import { budgetOperations } from "../routes/budgets.ts";
import { checkpointOperations } from "../routes/checkpoints.ts";
import { eventOperations } from "../routes/events.ts";
import { executionOperations } from "../routes/executions.ts";
import { healthOperations } from "../routes/health.ts";
import { infoOperations } from "../routes/info.ts";
import { replayOperations } from "../routes/replays.ts";
import { reportOperations } from "../routes/reports.ts";
import { requestOperations } from "../routes/requests.ts";
import { schedulerOperations } from "../routes/scheduler.ts";

/** Every endpoint, in the order of the API description. */
export const OPERATIONS: readonly Operation[] = [
  ...healthOperations,
  ...infoOperations,
  ...agentOperations,
  ...executionOperations,
  ...replayOperations,
  ...requestOperations,
  ...checkpointOperations,
  ...budgetOperations,
  ...schedulerOperations,
  ...eventOperations,
  ...reportOperations,
];
