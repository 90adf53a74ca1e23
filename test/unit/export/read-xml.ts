/** An element as a reader sees it. */
export type XmlNode = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlNode[];
  text: string;
};

/** Reads well-formed XML without namespaces, CDATA and comments: what the library writes. @throws where it is not. */
export function readXml(text: string): XmlNode {
  const document: XmlNode = { name: '', attributes: {}, children: [], text: '' };
  const open = [document];
  const unescaped = (said: string) =>
    said.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  const body = text.replace(/^<\?xml [^>]*\?>\s*<!DOCTYPE \w+>\s*/, '');
  for (const [, tag, said] of body.matchAll(/<([^>]*)>|([^<]+)/g)) {
    const top = open.at(-1)!;
    if (tag === undefined) {
      if (/[&](?!#\d+;)/.test(said!)) throw new Error(`a bare & in ${said}`);
      if (said!.trim()) top.text += unescaped(said!);
    } else if (tag.startsWith('/')) {
      if (top.name !== tag.slice(1)) throw new Error(`</${tag.slice(1)}> closes ${top.name}`);
      open.pop();
    } else {
      const match = /^([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)$/.exec(tag);
      if (!match) throw new Error(`no tag: ${tag}`);
      const pairs = [...match[2]!.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [
        key,
        unescaped(value!),
      ]);
      const node: XmlNode = {
        name: match[1]!,
        attributes: Object.fromEntries(pairs),
        children: [],
        text: '',
      };
      top.children.push(node);
      if (!match[3]) open.push(node);
    }
  }
  if (open.length > 1 || document.children.length !== 1) throw new Error('not one whole element');
  return document.children[0]!;
}

/** All elements of a name below a node, in order. */
export const allOf = (node: XmlNode, name: string): XmlNode[] =>
  node.children.flatMap(child => [...(child.name === name ? [child] : []), ...allOf(child, name)]);
