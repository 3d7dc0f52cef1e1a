// config.yaml's http.hosts and http.origins: what can never arrive in a header is refused, not kept in vain.
import { z } from "zod";
import { toHostName, toOrigin } from "../../base/web_origin.ts";

/** Names of hosts, with or without a port. */
export const hostNames = z.array(
  z.string().refine(
    (text) => toHostName(text) !== undefined,
    "must be the name of a host such as inkling.example",
  ),
);

/** Origins of web pages and of apps. */
export const origins = z.array(
  z.string().refine(
    (text) => toOrigin(text) !== undefined,
    "must be an origin, without a path: https://inkling.example, say, or app://obsidian.md",
  ),
);
