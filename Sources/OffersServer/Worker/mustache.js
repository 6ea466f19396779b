// Renders the server's Mustache templates in the service worker, with the same result: variables,
// sections, inverted sections, partials and comments.

let templatesRead;
const parsedTemplates = new Map();

/** Reads the templates once, from the cache of the assets. */
function readTemplates() {
  templatesRead ??= cacheFirst(new Request(addressOf(`/assets/templates.json?v=${VERSION}`)))
    .then((answer) => answer.json())
    .catch((error) => {
      templatesRead = undefined;
      throw error;
    });
  return templatesRead;
}

/** Renders a template with its fields. */
async function render(name, fields) {
  return renderParts(parseTemplate(name, await readTemplates()), [fields], await readTemplates());
}

function parseTemplate(name, texts) {
  let parts = parsedTemplates.get(name);
  if (!parts) {
    parts = parseMustache(texts[name] ?? "");
    parsedTemplates.set(name, parts);
  }
  return parts;
}

/** Parses a text into strings and tags; a section has its content in `parts`. */
function parseMustache(text) {
  // A tag that stands alone in its line leaves no empty line.
  const dense = text.replace(/^[ \t]*(\{\{[#^/!>][^}]*\}\})[ \t]*\n/gm, "$1");
  const root = [];
  const open = [root];
  let end = 0;
  for (const tag of dense.matchAll(/\{\{(\{|[#^/!>&]?)\s*([^}]*?)\s*\}?\}\}/g)) {
    const parts = open.at(-1);
    const [whole, kind, name] = tag;
    if (tag.index > end) parts.push(dense.slice(end, tag.index));
    end = tag.index + whole.length;
    if (kind === "/") {
      open.pop();
    } else if (kind !== "!") {
      const part = {kind, name, parts: []};
      parts.push(part);
      if (kind === "#" || kind === "^") open.push(part.parts);
    }
  }
  if (end < dense.length) root.push(dense.slice(end));
  return root;
}

function renderParts(parts, stack, texts) {
  let html = "";
  for (const part of parts) {
    if (typeof part === "string") {
      html += part;
      continue;
    }
    const {kind, name} = part;
    if (kind === ">") {
      html += renderParts(parseTemplate(name, texts), stack, texts);
      continue;
    }
    const value = findField(name, stack);
    const isSet = value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
    if (kind === "^") {
      if (!isSet) html += renderParts(part.parts, stack, texts);
    } else if (kind === "#") {
      if (!isSet) continue;
      for (const each of Array.isArray(value) ? value : [value]) {
        html += renderParts(part.parts, each === true ? stack : [...stack, each], texts);
      }
    } else if (value !== undefined) {
      html += kind === "" ? escapeHTML(String(value)) : String(value);
    }
  }
  return html;
}

/** Finds a field in the innermost section that has it. */
function findField(name, stack) {
  for (let index = stack.length - 1; index >= 0; index -= 1) {
    const fields = stack[index];
    if (typeof fields === "object" && Object.hasOwn(fields, name)) {
      const value = fields[name];
      if (value !== undefined && value !== null) return value;
    }
  }
  return undefined;
}

const entities = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"};

/** Escapes a text for elements and quoted attributes; HTML forbids most control characters. */
function escapeHTML(text) {
  return text.replace(/[&<>"'\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, (sign) => entities[sign] ?? "\ufffd");
}
