// The pause over everything that starts by itself.
import { useService } from "./service_context.ts";
import { useSending } from "./use_resource.ts";

/** Pauses and resumes the scheduler, and says so. */
export function useSwitchScheduler(): {
  isSending: boolean;
  switchScheduler: (isPause: boolean) => Promise<void>;
} {
  const { client, announce } = useService();
  const { isSending, send } = useSending({ touches: ["scheduler"], failure: "That did not work" });
  const switchScheduler = (isPause: boolean) =>
    send(async () => {
      await (isPause ? client.pauseScheduler() : client.resumeScheduler());
      announce(isPause ? "The scheduler is paused." : "The scheduler runs again.");
    });
  return { isSending, switchScheduler };
}
