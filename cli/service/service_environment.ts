// The environment variables that a long-running service gets in addition to the inherited ones, which take precedence.

/**
 * The variables that limit the service's memory. With these values the service is not slower. They are read when a process
 * starts, so the parent process must set them. C libraries other than glibc ignore the first two.
 * - MALLOC_ARENA_MAX: the maximum number of heaps. By default glibc creates a heap for each allocating thread, up to eight
 *   for each core. It returns a memory page to the system only when nothing on the page is in use.
 * - MALLOC_TRIM_THRESHOLD_: a limit in bytes. glibc returns free memory at the end of a heap to the system when its size
 *   exceeds the limit. By default the limit grows with the largest freed block, from 128 KB up to 64 MB.
 * - DENO_V8_FLAGS: V8 never shrinks its space for young objects, which a search in many files lets grow to three times
 *   the given megabytes.
 */
export const SERVICE_VARIABLES: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_TRIM_THRESHOLD_: "131072",
  DENO_V8_FLAGS: "--max-semi-space-size=8",
};
