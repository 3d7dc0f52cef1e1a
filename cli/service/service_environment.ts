// The environment variables that Inkling adds to the inherited environment of a long-running service.

/**
 * Default values of variables for the service. glibc reads them at the start of a process, so a process cannot set its own;
 * other C libraries ignore them. With both, the service needs less memory and is not slower.
 * - MALLOC_ARENA_MAX: by default glibc keeps up to eight heaps for each core, one for each allocating thread. It returns a
 *   page only when nothing on it is in use.
 * - MALLOC_TRIM_THRESHOLD_, in bytes: glibc returns free memory at the end of a heap above this limit. By default the limit
 *   grows from 128 KB with the largest freed block, up to 64 MB.
 */
export const SERVICE_VARIABLES: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_TRIM_THRESHOLD_: "131072",
};

/** Returns the environment of a service that is started with this environment. */
export function serviceEnvironment(
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  return { ...SERVICE_VARIABLES, ...environment };
}
