/** The hosts that an agentic check may reach: those of the addresses in its prompt. Pure. */

export interface AllowedHosts {
  /** As people read them: `shop.example`, `127.0.0.1:8080`. */
  readonly names: readonly string[];
  /** `host`: a name in lower case, or an address without brackets. */
  allows(host: string, port: number): boolean;
}

const ADDRESS = /https?:\/\/[^\s"'`<>\\^{|}]+/gi;
/** An address at the end of a sentence, or in brackets. */
const TRAILING_PUNCTUATION = /[.,;:!?)\]*]+$/;
const DEFAULT_PORTS = [80, 443];

/** An address without a port allows 80 and 443 of its host, one with a port that port alone. */
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

/** Returns why an address must not be opened, as a sentence without a full stop; undefined if it may be. */
export function explainBlockedUrl(address: string, { names, allows }: AllowedHosts): string | undefined {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    return 'url must start with http:// or https://';
  const { protocol, hostname, host, port, username, password } = new URL(address);
  if (username || password) return 'url must not contain a user or a password';
  if (allows(stripBrackets(hostname), Number(port) || (protocol === 'https:' ? 443 : 80))) return undefined;
  return `${host} is blocked: this check may reach ${names.join(', ')} and no other host`;
}

const stripBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');
