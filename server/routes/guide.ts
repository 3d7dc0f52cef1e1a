// Creates the routes of the documentation for people, `/docs/guide`: the site that `deno task site` builds from docs/.
import { RequestRefused } from "../../api/errors.ts";
import { lazyText, type PageRoute, toOwnResponse } from "../html/page.ts";

const GUIDE_PATH = "/docs/guide";
const FIRST_PAGE = "index.html";

/** Loads the files of the site as one JSON text, which contains the lines of each file by its name. */
const loadText = lazyText(() => import("../guide/site.json", { with: { type: "text" } }));

/** Returns the routes of the site. `/docs/guide` redirects to its folder, because the site's addresses are relative. */
export function createGuide(): readonly PageRoute[] {
  let files: Promise<ReadonlyMap<string, string>> | undefined;
  const respond = async (request: Request): Promise<Response> => {
    const name = new URL(request.url).pathname.slice(GUIDE_PATH.length + 1) || FIRST_PAGE;
    // After a failure, load the files again at the next request.
    files ??= loadFiles().catch((error) => {
      files = undefined;
      throw error;
    });
    const text = (await files).get(name);
    if (text === undefined) throw new RequestRefused(404, "Not Found");
    return await toOwnResponse(request, text, typeOf(name));
  };
  const location = `${GUIDE_PATH.split("/").at(-1)}/`;
  return [
    {
      path: GUIDE_PATH,
      respond: () => Promise.resolve(new Response(null, { status: 303, headers: { location } })),
    },
    { path: `${GUIDE_PATH}/`, respond },
    { path: `${GUIDE_PATH}/{file}`, respond },
  ];
}

async function loadFiles(): Promise<ReadonlyMap<string, string>> {
  const lines = JSON.parse(await loadText()) as Record<string, string[]>;
  return new Map(Object.entries(lines).map(([name, list]) => [name, list.join("\n")]));
}

function typeOf(name: string): "css" | "html" | "js" | "json" {
  const suffix = name.split(".").at(-1);
  return suffix === "css" || suffix === "js" || suffix === "json" ? suffix : "html";
}
