import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../../src/service/index.js';
import { readAddress } from '../../../../src/service/sources/address.js';
import { copySource } from '../../../../src/service/sources/fetch-source.js';

const direct = 'https://drive.usercontent.google.com/download?id=1AbC_d-9&export=download&confirm=t';

test.each([
  'https://drive.google.com/file/d/1AbC_d-9/view?usp=sharing',
  'https://drive.google.com/file/d/1AbC_d-9/preview',
  'https://drive.google.com/file/d/1AbC_d-9/edit',
  'https://drive.google.com/file/d/1AbC_d-9',
  'https://drive.google.com/file/u/0/d/1AbC_d-9/view',
  'https://drive.google.com/a/example.org/file/d/1AbC_d-9/view',
  'https://drive.google.com/open?id=1AbC_d-9',
  'https://drive.google.com/uc?id=1AbC_d-9&export=download',
  'https://drive.google.com/uc?export=view&id=1AbC_d-9',
  'https://docs.google.com/file/d/1AbC_d-9/edit',
  'https://docs.google.com/uc?id=1AbC_d-9',
  'https://drive.usercontent.google.com/download?id=1AbC_d-9',
])('%s is the file itself', url => {
  expect(readAddress(url)).toEqual({ kind: 'drive', url: direct });
});

test('a resource key goes along', () => {
  const { url } = readAddress('https://drive.google.com/file/d/x1/view?resourcekey=0-k') as { url: string };
  expect(new URL(url).searchParams.get('resourcekey')).toBe('0-k');
});

test.each([
  'https://drive.google.com/drive/folders/1AbC',
  'https://drive.google.com/',
  'ftp://a/b.mp4',
  'a.mp4',
])('%s is no video', url => {
  expect(() => readAddress(url)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});

test('the other addresses keep their kind', () => {
  expect(readAddress('http://a.test/x.mp4')).toEqual({ kind: 'http', url: 'http://a.test/x.mp4' });
  expect(readAddress('blob:http://a.test/1')).toEqual({ kind: 'blob', url: 'blob:http://a.test/1' });
  expect(readAddress('data:video/mp4,x').kind).toBe('data');
  expect(readAddress('local-file:0a')).toEqual({ kind: 'file', id: '0a' });
});

describe('a stand-in for Google Drive', () => {
  const page = (html: string) =>
    new Response(html, { headers: { 'Content-Type': 'text/html; charset=utf-8' } });
  const copy = async (answer: (url: URL) => Response) => {
    const { files } = createMemoryStore();
    const asked: string[] = [];
    const fetch = async (input: unknown) => {
      asked.push(String(input));
      return answer(new URL(String(input)));
    };
    const address = readAddress('https://drive.google.com/open?id=big') as { kind: 'drive'; url: string };
    await copySource(address, 'copy', {
      files,
      fetch: fetch as typeof globalThis.fetch,
      signal: new AbortController().signal,
    });
    return { asked, text: await (await files.open('copy'))!.text() };
  };

  test('a large file’s confirmation page is answered', async () => {
    const form = `<html><form id="download-form" action="https://drive.usercontent.google.com/download" method="get">
      <input type="submit" value="Download anyway"/><input type="hidden" name="id" value="big">
      <input type="hidden" name="export" value="download"><input type="hidden" name="confirm" value="t">
      <input type="hidden" name="uuid" value="a&amp;b"></form></html>`;
    const { asked, text } = await copy(url =>
      url.searchParams.has('uuid') ? new Response('video') : page(form),
    );
    expect(text).toBe('video');
    expect(new URL(asked[1]!).searchParams.get('uuid')).toBe('a&b');
  });

  test('the older form of that page is answered too', async () => {
    const link =
      '<a id="uc-download-link" href="/uc?export=download&amp;confirm=Xy1&amp;id=big">Download anyway</a>';
    const { text } = await copy(url =>
      url.searchParams.get('confirm') === 'Xy1' ? new Response('video') : page(link),
    );
    expect(text).toBe('video');
  });

  test('a page that asks to sign in is source_forbidden', async () => {
    await expect(copy(() => page('<form id="gaia_loginform"></form>'))).rejects.toMatchObject({
      code: 'source_forbidden',
    });
  });

  test('a download that breaks off is no video', async () => {
    const cut = () => new Response('vid', { headers: { 'Content-Length': '5' } });
    await expect(copy(cut)).rejects.toMatchObject({ code: 'source_unreachable' });
  });
});
