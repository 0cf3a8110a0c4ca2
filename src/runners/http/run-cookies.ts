/** Sends the cookies that the answers of a run set with its later requests. */
import { isUrl } from '../../base/parse-url.ts';
import type { RunCookieJar } from './lazy/cookie-jar.ts';
import type { Answer, Header, HttpRequest } from './types.ts';

export interface RunCookies {
  /** Returns the request with its cookies: those of the check, then those that answers set. */
  addTo(request: HttpRequest): HttpRequest;
  /** Stores the cookies of an answer to a request. */
  store(request: HttpRequest, answer: Answer): Promise<void>;
}

const hasName = (name: string) => (header: Header) => header[0].toLowerCase() === name;

export function createRunCookies(): RunCookies {
  let jar: RunCookieJar | undefined;
  /** Names that an answer set or deleted: they replace cookies of the check. */
  const setNames = new Set<string>();
  return {
    addTo(request) {
      const cookies = toHeaderText(jar?.cookiesFor(cookieUrl(request)) ?? '');
      if (setNames.size === 0 && cookies === '') return request;
      const isCookie = hasName('cookie');
      const own = request.headers
        .filter(isCookie)
        .flatMap(([, value]) => value.split(';'))
        .map((pair) => pair.trim())
        .filter((pair) => pair !== '' && !setNames.has(nameOf(pair)));
      const value = [...own, ...(cookies === '' ? [] : [cookies])].join('; ');
      const headers = request.headers.filter((header) => !isCookie(header));
      return { ...request, headers: value === '' ? headers : [...headers, ['Cookie', value]] };
    },
    async store(request, answer) {
      const lines = answer.headers.filter(hasName('set-cookie'));
      if (lines.length === 0) return;
      jar ??= (await import('./lazy/cookie-jar.ts')).createCookieJar();
      for (const [, line] of lines) {
        const name = jar.store(line, cookieUrl(request));
        if (name !== undefined) setNames.add(name);
      }
    },
  };
}

/** Returns text as the characters of its UTF-8 bytes, because headers are sent in Latin-1. */
const toHeaderText = (text: string): string => Buffer.from(text).toString('latin1');

const nameOf = (pair: string): string => (pair.includes('=') ? pair.slice(0, pair.indexOf('=')).trim() : '');

/** Returns the URL of a request with the host of its Host header, which names the virtual host that sets cookies. */
function cookieUrl({ url, target, headers }: HttpRequest): string {
  const host = headers.find(hasName('host'))?.[1];
  const own = `${url.protocol}//${host}${target}`;
  return host !== undefined && isUrl(own) ? own : `${url.origin}${target}`;
}
