// The order of the pages, read from docs/index.md: each of its sections with its links.

/** A section of the navigation. */
export interface NavigationSection {
  heading: string;
  links: readonly NavigationLink[];
}

/** A link of the navigation. */
export interface NavigationLink {
  title: string;
  /** The address on the site, with an anchor or without. */
  address: string;
}

/** Returns the sections of the index that contain links to pages. */
export function readNavigation(
  index: string,
  toAddress: (target: string) => string,
): NavigationSection[] {
  return index.split(/^## /m).slice(1).map((section) => {
    const links = [...section.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)];
    return {
      heading: section.split("\n")[0] ?? "",
      links: links.map(([, title = "", target = ""]) => ({ title, address: toAddress(target) })),
    };
  }).filter(({ links }) => links.length > 0);
}

/** Returns the pages in the order of the navigation, each once. */
export function pageOrder(navigation: readonly NavigationSection[]): NavigationLink[] {
  const seen = new Set<string>();
  return navigation.flatMap(({ links }) => links).filter(({ address }) => {
    if (address.includes("#") || seen.has(address)) return false;
    seen.add(address);
    return true;
  });
}
