/** Stores the cookies of one run as a browser does (RFC 6265bis). Loaded on demand, because of its list of public suffixes. */
import { Cookie, CookieJar } from 'tough-cookie';

/** Maximum number of characters of a name with its value. */
const MAX_LENGTH = 4096;
/** Maximum number of cookies that are stored in a run. */
const MAX_COOKIES = 200;

export interface RunCookieJar {
  /** Returns the name of the cookie, or undefined if the URL may not set it. */
  store(setCookie: string, url: string): string | undefined;
  /** Returns the value of the Cookie header of a request; empty without cookies. */
  cookiesFor(url: string): string;
}

export function createCookieJar(): RunCookieJar {
  const jar = new CookieJar(undefined, {
    looseMode: true,
    prefixSecurity: 'silent',
    allowSecureOnLocal: false,
  });
  let count = 0;
  return {
    store(setCookie, url) {
      const cookie = Cookie.parse(setCookie, { loose: true });
      if (cookie === undefined || !isAcceptable(cookie) || ++count > MAX_COOKIES) return undefined;
      const accepted = tryToStore(jar, cookie, url) || tryToStoreForHost(jar, cookie, url);
      return accepted ? cookie.key : undefined;
    },
    // Every request of a run is like a navigation that the user started, which sends the cookies of all SameSite values.
    cookiesFor: (url) => jar.getCookieStringSync(url),
  };
}

/** Browsers ignore long cookies, and those for other sites without Secure. */
const isAcceptable = ({ key, value, sameSite, secure }: Cookie): boolean =>
  key.length + value.length <= MAX_LENGTH && (sameSite !== 'none' || secure);

function tryToStore(jar: CookieJar, cookie: Cookie, url: string): boolean {
  try {
    return jar.setCookieSync(cookie, url) !== undefined;
  } catch {
    return false;
  }
}

/** A host that is itself a public suffix, such as `intranet`, may set cookies for itself alone. */
function tryToStoreForHost(jar: CookieJar, cookie: Cookie, url: string): boolean {
  if (cookie.domain !== new URL(url).hostname) return false;
  cookie.domain = null;
  return tryToStore(jar, cookie, url);
}
