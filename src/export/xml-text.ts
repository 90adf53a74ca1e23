/** An element with its attributes and what is in it: elements or text. */
export type XmlElement = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (XmlElement | string)[];
};

export const element = (
  name: string,
  attributes: XmlElement['attributes'],
  ...children: XmlElement['children']
): XmlElement => ({ name, attributes, children });

/** A whole document, indented. */
export const xmlText = (docType: string, root: XmlElement): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE ${docType}>\n${write(root, '')}\n`;

function write({ name, attributes, children }: XmlElement, indent: string): string {
  const said = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  const head = `${indent}<${name}${said.join('')}`;
  if (!children.length) return `${head}/>`;
  if (children.every(child => typeof child === 'string'))
    return `${head}>${escaped(children.join(''))}</${name}>`;
  const inner = children.map(child =>
    typeof child === 'string' ? escaped(child) : write(child, `${indent}  `),
  );
  return `${head}>\n${inner.join('\n')}\n${indent}</${name}>`;
}

/** Characters that XML 1.0 does not know at all are left out. */
const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to remove
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '')
    .replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
