/** Writes well-formed XML 1.0 from elements with any text. */

export interface Element {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string | number | null>>;
  /** A text, or elements; XML that is already written is copied. */
  readonly children?: string | readonly (Element | RawXml)[];
}

/** XML that is already written. */
export interface RawXml {
  readonly xml: string;
}

/** Characters that XML 1.0 cannot express, such as lone surrogates. */
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

/** Escapes line breaks in attributes and carriage returns in texts, which readers would change. */
const attributeText = (text: string): string => escaped(text, /[&<>"\t\n\r]/g);
const elementText = (text: string): string => escaped(text, /[&<>\r]/g);

/** Writes an element and its children, indented. */
export function writeXml(element: Element | RawXml, indent = ''): string {
  if ('xml' in element) return element.xml;
  const { name, attributes = {}, children = [] } = element;
  const attributeList = Object.entries(attributes)
    .map(([key, value]) => (value === null ? '' : ` ${key}="${attributeText(String(value))}"`))
    .join('');
  if (children.length === 0) return `${indent}<${name}${attributeList}/>\n`;
  if (typeof children === 'string')
    return `${indent}<${name}${attributeList}>${elementText(children)}</${name}>\n`;
  const inner = children.map((child) => writeXml(child, `${indent}  `)).join('');
  return `${indent}<${name}${attributeList}>\n${inner}${indent}</${name}>\n`;
}
