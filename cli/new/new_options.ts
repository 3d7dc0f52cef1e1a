// The options of `inkling new`, as the command line parser returns them.
import type { GALLERY_NAMES } from "../../present/gallery_names.ts";

/** The name of an agent in the gallery. */
export type GalleryName = typeof GALLERY_NAMES[number];

/** The options of `inkling new`. A value answers the question for the same field, so the question is skipped. */
export interface NewOptions {
  /** The agent of the gallery to copy. */
  from?: GalleryName;
  yes?: true;
  template?: true;
  description?: string;
  provider?: string;
  model?: string;
  baseUrl?: string;
  every?: string;
  cron?: string;
  watch?: string[];
  after?: string[];
  path?: string[];
  prompt?: string;
}
