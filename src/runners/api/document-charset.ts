/** Finds the charset that an HTML or XML document declares itself. */

/** Browsers look at 1024 bytes at least, and further in the head of the document. */
const MAX_HEAD = 64 * 1024;
const MIN_HEAD = 1024;

const XML_DECLARATION = /^\s*<\?xml(?=\s)[^>]*?\sencoding\s*=\s*["']\s*([\w.:-]+)/;
/** Comments and tags; the attributes of `meta` are captured. */
const MARKUP =
  /<!-(?=-).*?-->|<meta[\s/]((?:[^>"']|"[^"]*"|'[^']*')*)>|<\/?[a-z](?:[^>"']|"[^"]*"|'[^']*')*>|<[!/?][^>]*>/gis;
const ATTRIBUTE = /([^\s=/>"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?/g;
const HTML_TYPES: ReadonlySet<string> = new Set(['', 'text/html', 'application/xhtml+xml']);

/** Returns the label that the document declares; undefined without a declaration. */
export function findDocumentCharset(bytes: Buffer, type: string): string | undefined {
  const start = bytes.toString('latin1', 0, MAX_HEAD);
  const label =
    XML_DECLARATION.exec(start)?.[1] ?? (HTML_TYPES.has(type) ? findMetaCharset(start) : undefined);
  // A declaration that can be read as ASCII is not UTF-16.
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label;
}

function findMetaCharset(start: string): string | undefined {
  const body = /<body[\s>]/i.exec(start)?.index ?? start.length;
  const head = start.slice(0, Math.max(MIN_HEAD, body));
  for (const [, attributes] of head.matchAll(MARKUP)) {
    const label = attributes === undefined ? undefined : readMeta(attributes);
    if (label !== undefined) return label;
  }
  return undefined;
}

function readMeta(written: string): string | undefined {
  const attributes = new Map<string, string>();
  for (const [, name = '', ...values] of written.matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase();
    // Of an attribute that is repeated, the first one counts.
    if (!attributes.has(key)) attributes.set(key, values.find((value) => value !== undefined) ?? '');
  }
  const charset = attributes.get('charset')?.trim();
  if (charset !== undefined && charset !== '') return charset;
  if (attributes.get('http-equiv')?.trim().toLowerCase() !== 'content-type') return undefined;
  return /charset\s*=\s*["']?\s*([^\s;"']+)/i.exec(attributes.get('content') ?? '')?.[1];
}
