// The operation that streams the events of the whole service.
import { ServiceEventData } from "../schemas/event_schemas.ts";
import { EVENT_STREAM } from "../../base/text/event_stream.ts";
import { operation } from "../operations/operation.ts";
import { ServiceEventStream } from "../streams/service_events.ts";

export const events = operation({
  summary: "Stream of changes to executions, agents and the scheduler",
  description:
    "Server-sent events `execution_started`, `execution_waiting`, `execution_resting`, " +
    "`execution_resumed`, `execution_completed`, `agents_changed`, " +
    "`scheduler_changed`, `trigger_changed`, `budget_warning`, a `heartbeat` after 10 s of silence, and `shutdown` " +
    "when a stop begins. `execution_completed` follows after the execution's followers received " +
    "`complete`, with a delay of at most 250 ms. For an execution shorter than 250 ms, it waits for the first follower " +
    "until 250 ms after the run was accepted. Events have no ids and are not replayed: after a reconnect, read the state " +
    "from the other endpoints. A reader that is 1,000 events behind is disconnected.",
  response: EVENT_STREAM,
  events: ServiceEventData,
  handle(_request, services) {
    return Promise.resolve(new ServiceEventStream(services).body);
  },
});
