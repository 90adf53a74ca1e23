import { ReframeError } from '../../schema/error.js';

/** A source's address, sorted by how its bytes are got. */
export type Address =
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 'drive'; readonly url: string }
  /** An address of this page's own memory. */
  | { readonly kind: 'blob'; readonly url: string }
  | { readonly kind: 'data'; readonly url: string }
  /** Handed in beforehand. */
  | { readonly kind: 'file'; readonly id: string };

/** Addresses of files that were handed in begin like this. */
export const fileScheme = 'local-file:';

/** Characters of the longest `data:` address that is taken: a record, not a place for media. */
export const dataUrlLimit = 4 << 20;

const driveHosts = ['drive.google.com', 'docs.google.com', 'drive.usercontent.google.com'];

/**
 * Reads the `url` of a request. Google Drive share links become the address of the file itself.
 *
 * @throws ReframeError `invalid_request` for anything that is not an address of a video; `too_large` for a `data:`
 *   address over the limit.
 */
export function readAddress(text: string): Address {
  if (text.startsWith(fileScheme)) return { kind: 'file', id: text.slice(fileScheme.length) };
  if (/^data:/i.test(text)) {
    if (text.length > dataUrlLimit)
      throw new ReframeError('too_large', `data: addresses end at ${dataUrlLimit} characters.`);
    return { kind: 'data', url: text };
  }
  const url = parse(text);
  if (url.protocol === 'blob:') return { kind: 'blob', url: url.href };
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new ReframeError('invalid_request', `url: ${url.protocol} addresses are not fetched.`);
  if (url.username || url.password)
    throw new ReframeError('invalid_request', 'url: an address must not hold a name or password.');
  if (!driveHosts.includes(url.hostname)) return { kind: 'http', url: url.href };
  return { kind: 'drive', url: driveDownload(url) };
}

function parse(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new ReframeError('invalid_request', 'url: not an absolute address.');
  }
}

/** The direct download of a share link, in any of the forms that Drive hands out. */
function driveDownload(url: URL): string {
  const id = /\/file\/(?:u\/\d+\/)?d\/([\w-]+)/.exec(url.pathname)?.[1] ?? url.searchParams.get('id');
  if (!id || !/^[\w-]+$/.test(id))
    throw new ReframeError(
      'invalid_request',
      'url: this Google Drive link names no single file. Share the video itself.',
    );
  const direct = new URL('https://drive.usercontent.google.com/download');
  direct.search = new URLSearchParams({ id, export: 'download', confirm: 't' }).toString();
  const key = url.searchParams.get('resourcekey');
  if (key) direct.searchParams.set('resourcekey', key);
  return direct.href;
}

/**
 * Where the page leads that Drive shows instead of a large file ("can't scan for viruses").
 *
 * @param html - The page.
 * @param base - Its address.
 * @returns undefined when the page is another one: the file is not shared, or was fetched too often.
 */
export function readConfirmation(html: string, base: string): string | undefined {
  const form = /<form\b[^>]*\bid="download-form"[^>]*>([\s\S]*?)<\/form>/i.exec(html);
  if (!form) {
    const link = /href="([^"]*[?&](?:amp;)?confirm=[^"]+)"/i.exec(html)?.[1];
    return link && new URL(unescapeHtml(link), base).href;
  }
  const action = attribute(form[0], 'action');
  if (!action) return undefined;
  const target = new URL(action, base);
  for (const [input] of form[1]!.matchAll(/<input\b[^>]*>/gi)) {
    const name = attribute(input, 'name');
    if (name) target.searchParams.set(name, attribute(input, 'value') ?? '');
  }
  return target.href;
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(tag)?.[1];
  return value === undefined ? undefined : unescapeHtml(value);
}

const unescapeHtml = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
