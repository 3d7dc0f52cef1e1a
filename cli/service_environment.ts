// What a service that runs for months needs in its environment, beside that of whoever starts it.

/**
 * Variables with their values, for a service whose environment does not set them itself. MALLOC_ARENA_MAX: glibc keeps up
 * to eight heaps for each core, one for each thread that allocates, and gives a page of them back only when nothing on it
 * is in use; with two, a service at work needs less memory and its memory stops growing sooner, and is no slower. glibc
 * reads it when a process starts, so nothing can set it for itself; other C libraries do not know it.
 */
export const SERVICE_VARIABLES: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: "2" };

/** The environment of a service that is started from this one. */
export function serviceEnvironment(
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  return { ...SERVICE_VARIABLES, ...environment };
}
