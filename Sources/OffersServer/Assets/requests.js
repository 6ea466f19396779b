// Requests that scripts send: pages that they read, and changes.

import {noteLoggedOut} from "./server-events.js?v=__VERSION__";
import {addressOf, pathOf} from "./base-path.js?v=__VERSION__";

/** The page in a response, as a document. */
export const readPage = async (response) => new DOMParser().parseFromString(await response.text(), "text/html");

/** Fetches a page as a document. Throws if the server does not answer, or by an error. */
export async function fetchPage(address) {
  const response = await fetch(address, {headers: {Accept: "text/html"}});
  if (!response.ok) throw new Error(`The response has the status ${response.status}.`);
  if (response.redirected && pathOf(new URL(response.url).pathname) === "/login") {
    noteLoggedOut();
    throw new Error("The server requires a login.");
  }
  return readPage(response);
}

/** Sends a change to the API, which `user` allows for that user only. */
export function send(method, path, body = {}, {user, ...options} = {}) {
  const headers = {"Content-Type": "application/json", ...(user && {"X-Offers-User": user})};
  return fetch(addressOf(`/api/v1${path}`), {method, headers, body: JSON.stringify(body), ...options});
}

/** A function whose runs never overlap: calls during a run cause one more run after it. */
export function inTurn(run) {
  let running = null;
  let isDue = false;
  return () => {
    isDue = true;
    running ??= (async () => {
      while (isDue) {
        isDue = false;
        await run();
      }
    })().finally(() => {
      running = null;
    });
    return running;
  };
}
