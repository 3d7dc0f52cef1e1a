// The dialog that shows the change of a file before it is saved.
import type { VNode } from "preact";
import { ApiError } from "../../../api/client/client_errors.ts";
import type { EditedFileBody } from "../../../api/schemas/file_schemas.ts";
import { formatNumberOf } from "../../parts/format.ts";
import { FormDialog } from "../../parts/forms.tsx";
import { type EditedPlace, saveFile, titleOfFile } from "../../state/edited_file.ts";
import { useService } from "../../state/service_context.ts";
import { Diff } from "../approval/diff_view.tsx";

/** Renders the dialog. */
export function SaveDialog(
  { title, action = "Save", place, diff, change, errors, onSaved, onConflict, onClose }: {
    title?: string;
    /** The label of the button. */
    action?: string;
    place: EditedPlace;
    diff: string;
    change: { text: string; version: string | null; name: string };
    /** The number of errors in the text. */
    errors: number;
    onSaved: (file: EditedFileBody) => void;
    /** Handles a refusal because of another version. Rejects with the error to show. */
    onConflict: (error: ApiError) => Promise<void>;
    onClose: () => void;
  },
): VNode {
  const { client, link } = useService();
  const save = async () => {
    if (change.name.trim() === "" && place.kind === "new") throw new Error("Enter a name");
    try {
      onSaved(await saveFile(client, place, { ...change, allowErrors: errors > 0 }));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412) throw error;
      await onConflict(error);
    }
    link.markChanged("agents");
  };
  return (
    <FormDialog
      title={title ?? `Save ${titleOfFile(place)}`}
      action={errors > 0 ? `${action} with errors` : action}
      onSend={save}
      onClose={onClose}
    >
      {errors > 0 && (
        <p class="problem">
          The text has{" "}
          {formatNumberOf(errors, "error")}. A running service keeps the last text without errors.
        </p>
      )}
      {diff === "" ? <p>Both texts are equal.</p> : <Diff diff={diff} label="Changes" />}
    </FormDialog>
  );
}
