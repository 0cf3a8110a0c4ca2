/** Finds the charset that an HTML or XML document declares itself. */

/** Browsers look at 1024 bytes at least, and further in the head of the document. */
const MAX_HEAD = 64 * 1024;
const MIN_HEAD = 1024;

const XML_DECLARATION = /^\s*<\?xml(?=\s)[^>]*?\sencoding\s*=\s*["']\s*([\w.:-]+)/;
/** The start of a comment, of a tag with its name, or of a declaration. */
const MARKUP = /<(?:!--|\/?([a-z][^\s/>]*)|[!/?])/gi;
/** The end of a tag, or the name of its next attribute with the equals sign. */
const ATTRIBUTE = /[\s/]*(?:>|(=?[^\s=/>]+|=)(\s*=\s*)?)/y;
const UNQUOTED = /[^\s>]*/y;
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
  const markup = new RegExp(MARKUP);
  // Reads each part once, and stops at an unclosed one: otherwise a hostile document would take seconds.
  for (let match = markup.exec(head); match !== null; match = markup.exec(head)) {
    const [opening, name] = match;
    const tag = name === undefined ? undefined : readTag(head, markup.lastIndex);
    const end = name === undefined ? findEnd(head, match.index, opening === '<!--' ? '-->' : '>') : tag?.end;
    if (end === undefined) return undefined;
    markup.lastIndex = end;
    const label = tag !== undefined && /^<meta$/i.test(opening) ? readMeta(tag.attributes) : undefined;
    if (label !== undefined) return label;
  }
  return undefined;
}

/** Returns the index after a mark. The dashes of `<!-->` begin the comment and end it. */
function findEnd(head: string, start: number, mark: string): number | undefined {
  const at = head.indexOf(mark, start + 2);
  return at < 0 ? undefined : at + mark.length;
}

interface Tag {
  readonly attributes: ReadonlyMap<string, string>;
  /** The index after the tag. */
  readonly end: number;
}

/** Reads the attributes of a tag like browsers do; undefined for a tag without an end. */
function readTag(head: string, start: number): Tag | undefined {
  const attributes = new Map<string, string>();
  let end = start;
  for (;;) {
    const match = matchAt(ATTRIBUTE, head, end);
    if (match === null) return undefined;
    end += match[0].length;
    const [, name, equals] = match;
    if (name === undefined) return { attributes, end };
    const value = equals === undefined ? { text: '', end } : readValue(head, end);
    if (value === undefined) return undefined;
    end = value.end;
    const key = name.toLowerCase();
    // Of an attribute that is repeated, the first one counts.
    if (!attributes.has(key)) attributes.set(key, value.text);
  }
}

function readValue(head: string, start: number): { readonly text: string; readonly end: number } | undefined {
  const quote = head.charAt(start);
  if (quote !== '"' && quote !== "'") {
    const text = matchAt(UNQUOTED, head, start)?.[0] ?? '';
    return { text, end: start + text.length };
  }
  const end = head.indexOf(quote, start + 1);
  return end < 0 ? undefined : { text: head.slice(start + 1, end), end: end + 1 };
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

function readMeta(attributes: ReadonlyMap<string, string>): string | undefined {
  const charset = attributes.get('charset')?.trim();
  if (charset !== undefined && charset !== '') return charset;
  if (attributes.get('http-equiv')?.trim().toLowerCase() !== 'content-type') return undefined;
  return /charset\s*=\s*(?:["']\s*)?([^\s;"']+)/i.exec(attributes.get('content') ?? '')?.[1];
}
