// The path of this server, below which it serves this file in the folder assets.

const base = new URL("..", import.meta.url).pathname.slice(0, -1);

/** The address of a path of this server, such as `/feeds/ibotta`. */
export const addressOf = (path) => base + path;

/** The path on this server of an address's path. */
export const pathOf = (pathname) => (pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname);

/** The name of what this server keeps in the browser, which servers at other paths of the host share. */
export const ownName = (name) => name + base;
