// The values that all parts of an open runtime share, passed as one object.
import type { Clock } from "../../base/clock.ts";
import type { WorkspaceSettings } from "./settings.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { ServiceLog } from "../service_log/service_log.ts";

/** The shared values of a runtime. A part adds its own collaborators beside a Context instead of copying these fields. */
export interface Context {
  settings: WorkspaceSettings;
  clock: Clock;
  /** The service log, which redacts its lines. */
  log: ServiceLog;
  /** Removes every secret from a text. */
  redactor: Redactor;
  /** Returns the machine's time zone as an IANA name. */
  timeZone: () => string;
}
