// Provides the switch that pauses and resumes the scheduler.
import { useService } from "./service_context.ts";
import { useSending } from "./use_resource.ts";

/**
 * Returns the state of a request, and a function that pauses or resumes the scheduler with such a request and announces the
 * result.
 */
export function useSwitchScheduler(): {
  isSending: boolean;
  switchScheduler: (isPause: boolean) => Promise<void>;
} {
  const { client, announce } = useService();
  const { isSending, send } = useSending({
    touches: ["scheduler"],
    failure: "The scheduler did not change",
  });
  const switchScheduler = (isPause: boolean) =>
    send(async () => {
      await (isPause ? client.pauseScheduler() : client.resumeScheduler());
      announce(isPause ? "The scheduler is paused." : "The scheduler is running.");
    });
  return { isSending, switchScheduler };
}
