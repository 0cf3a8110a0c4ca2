/** Writes XML 1.0 from elements as data: whatever the texts hold, what comes out is well-formed. */

export interface Element {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string | number | null>>;
  /** A text, or further elements; texts that are XML already stand as they are. */
  readonly children?: string | readonly (Element | Written)[];
}

/** XML that was written before. */
export interface Written {
  readonly xml: string;
}

/** What XML 1.0 has no way to write, not even as a reference; lone surrogates among it. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const SPECIAL: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

const PLAIN = /^[ !#-%'-;=?-~]*$/;

const escaped = (text: string, special: RegExp): string =>
  PLAIN.test(text)
    ? text
    : text.replace(FORBIDDEN, '\ufffd').replace(special, (character) => SPECIAL[character] ?? '');

/** Line breaks of an attribute would be read as spaces, a carriage return of a text as a line feed. */
const attributeText = (text: string): string => escaped(text, /[&<>"\t\n\r]/g);
const elementText = (text: string): string => escaped(text, /[&<>\r]/g);

/** An element and what is in it, indented. */
export function writeXml(element: Element | Written, indent = ''): string {
  if ('xml' in element) return element.xml;
  const { name, attributes = {}, children = [] } = element;
  const given = Object.entries(attributes)
    .map(([key, value]) => (value === null ? '' : ` ${key}="${attributeText(String(value))}"`))
    .join('');
  if (children.length === 0) return `${indent}<${name}${given}/>\n`;
  if (typeof children === 'string') return `${indent}<${name}${given}>${elementText(children)}</${name}>\n`;
  const inner = children.map((child) => writeXml(child, `${indent}  `)).join('');
  return `${indent}<${name}${given}>\n${inner}${indent}</${name}>\n`;
}
