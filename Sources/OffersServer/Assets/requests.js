// Requests that scripts send: pages that they read, and changes.

import "./shared.js?v=__VERSION__";
import {noteLoggedOut} from "./server-events.js?v=__VERSION__";
import {addressOf, pathOf} from "./base-path.js?v=__VERSION__";

export const {encodeRef, inTurn} = self.shared;

/** Sends a request to a path of this server, and notes whether it requires a login. */
export async function request(path, options) {
  const response = await fetch(addressOf(path), options);
  if (response.status === 401) noteLoggedOut();
  return response;
}

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
  return request(`/api/v1${path}`, {method, headers, body: JSON.stringify(body), ...options});
}
