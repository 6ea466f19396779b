// Functions that the pages and the service worker share. The worker has no modules and takes this file by importScripts; the
// pages import it for the object that it sets.

/** Encodes a text as a path segment or a value of a query, exactly as the server encodes it. */
function encodeRef(text) {
  const name = encodeURIComponent(text).replace(/%3A/g, ":");
  return name.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** A function whose runs never overlap: calls during a run cause one more run after it. */
function inTurn(run) {
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

/** A database of IndexedDB; `stores` has the options of its object stores. */
class LocalData {
  constructor(name, version, stores) {
    Object.assign(this, {name, version, stores});
  }

  /** Opens the database. Null if the browser has none, or an old page blocks it. */
  open() {
    this.opening ??= new Promise((resolve, fail) => {
      const request = indexedDB.open(this.name, this.version);
      request.onupgradeneeded = () => {
        const {result} = request;
        for (const [store, options] of Object.entries(this.stores)) {
          if (!result.objectStoreNames.contains(store)) result.createObjectStore(store, options);
        }
      };
      request.onsuccess = () => {
        const {result} = request;
        // A later version cannot change the database while this one is open.
        result.onversionchange = result.onclose = () => {
          result.close();
          this.opening = null;
        };
        resolve(result);
      };
      request.onerror = request.onblocked = fail;
    }).catch(() => {
      // The next call tries again.
      this.opening = null;
      return null;
    });
    return this.opening;
  }

  /**
   * Runs requests in one transaction. `run` gets the object stores by name and may return a request, whose result is
   * returned. Returns undefined without a database, and rejects if a write fails, as without room.
   */
  async transact(mode, run) {
    const base = await this.open();
    if (!base) return undefined;
    const names = Object.keys(this.stores);
    let transaction;
    try {
      transaction = base.transaction(names, mode);
    } catch {
      // The browser closes the connection when a person clears the data of the site.
      this.opening = null;
      return undefined;
    }
    const request = run(Object.fromEntries(names.map((name) => [name, transaction.objectStore(name)])));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request?.result);
      transaction.onabort = () => reject(transaction.error);
    });
  }

  all(store) {
    return this.transact("readonly", (stores) => stores[store].getAll()).then((rows) => rows ?? []);
  }

  read(key) {
    return this.transact("readonly", ({values}) => values.get(key));
  }

  write(key, value) {
    return this.transact("readwrite", ({values}) => values.put(value, key));
  }
}

/**
 * A person's own data on the server at a path of this host: the stars that were not sent (pending-stars.js), the
 * favorites that are not among the current offers, and the values `favorites` and `searches`.
 */
const openOwnData = (path) =>
  new LocalData(`offers${path}`, 2, {stars: {keyPath: "ref"}, favorites: {keyPath: "ref"}, values: {}});

/**
 * Subscribes this browser to Web Push, in place of the subscription that it has or had (`replaced`), and tells the
 * server, for one user only if `user` names one. Returns the server's response. Rejects if the browser or the server
 * fails.
 */
async function subscribe({pushManager}, addressOf, {user, replaced} = {}) {
  const address = addressOf("/api/v1/push");
  const answer = await fetch(address);
  if (!answer.ok) return answer;
  const {public_key: applicationServerKey} = await answer.json();
  const old = await pushManager.getSubscription();
  // It may be bound to another key.
  await old?.unsubscribe();
  const subscription = await pushManager.subscribe({userVisibleOnly: true, applicationServerKey});
  const {endpoint, keys: {p256dh, auth}} = subscription.toJSON();
  const headers = {"Content-Type": "application/json", ...(user && {"X-Offers-User": user})};
  const body = JSON.stringify({endpoint, p256dh, auth, replaces: (replaced ?? old)?.endpoint});
  return fetch(address, {method: "POST", headers, body});
}

self.shared = {encodeRef, inTurn, openOwnData, subscribe};
