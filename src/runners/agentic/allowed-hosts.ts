/** Parses the hosts that an agentic check may reach from the URLs in its prompt. Pure. */

export interface AllowedHosts {
  /** Display names: `shop.example`, `127.0.0.1:8080`. */
  readonly names: readonly string[];
  /** `host`: a lower-case name, or an address without brackets. */
  allows(host: string, port: number): boolean;
}

const ADDRESS = /https?:\/\/[^\s"'`<>\\^{|}]+/gi;
/** Punctuation at the end of a sentence, and closing brackets. */
const TRAILING_PUNCTUATION = /[.,;:!?)\]*]+$/;
const DEFAULT_PORTS = [80, 443];

/**
 * Returns the allowed hosts. A URL without a port allows 80 and 443 of its host; a URL with a port allows only that
 * port.
 */
export function parseAllowedHosts(prompt: string): AllowedHosts {
  const allowed = new Map<string, readonly [host: string, ports: readonly number[]]>();
  for (const [match] of prompt.matchAll(ADDRESS)) {
    const address = match.replace(TRAILING_PUNCTUATION, '');
    if (!URL.canParse(address)) continue;
    const { host, hostname, port } = new URL(address);
    allowed.set(host, [stripBrackets(hostname), port === '' ? DEFAULT_PORTS : [Number(port)]]);
  }
  return {
    names: [...allowed.keys()],
    allows: (host, port) =>
      [...allowed.values()].some(([name, ports]) => name === host && ports.includes(port)),
  };
}

/** Returns why a URL must not be opened, as a sentence without a full stop; undefined if it may be opened. */
export function explainBlockedUrl(address: string, { names, allows }: AllowedHosts): string | undefined {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    return 'url must start with http:// or https://';
  const { protocol, hostname, host, port, username, password } = new URL(address);
  if (username || password) return 'url must not contain a user or a password';
  if (allows(stripBrackets(hostname), Number(port) || (protocol === 'https:' ? 443 : 80))) return undefined;
  return `${host} is blocked: this check may reach ${names.join(', ')} and no other host`;
}

const stripBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');
