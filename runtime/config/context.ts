// Defines the values that all parts of an open runtime share and receive as one object.
import type { Clock } from "../../base/clock.ts";
import type { WorkspaceSettings } from "./settings.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { ServiceLog } from "../service_log/service_log.ts";

/** The shared values of a runtime. The ports of a part extend Context instead of repeating its fields. */
export interface Context {
  settings: WorkspaceSettings;
  clock: Clock;
  /** The service log, which redacts its lines. */
  log: ServiceLog;
  /** Replaces the secrets in texts. */
  redactor: Redactor;
  /** Returns the machine's time zone as an IANA name. */
  timeZone: () => string;
}
