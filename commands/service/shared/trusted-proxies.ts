/** Parses `--trust-proxy` and SONDE_TRUST_PROXY. */
import { isIP } from 'node:net';
import { UsageError } from '../../../src/base/errors.ts';
import { texts } from '../../../src/cli/framework/index.ts';

export const trustProxyOption = texts(
  'Address or network of a trusted reverse proxy, which reports the client (X-Forwarded-For, X-Forwarded-Proto)',
  { placeholder: 'address[/bits]' },
);

/** Whether a text is an address or network. A network of all addresses would trust every client, so it is not accepted. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Returns the addresses and networks of the option, or else of the variable. Throws UsageError for anything else. */
export function parseTrustedProxies(
  option: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const name = option.length > 0 ? '--trust-proxy' : 'SONDE_TRUST_PROXY';
  const words = option.length > 0 ? option : [env.SONDE_TRUST_PROXY ?? ''];
  const networks = words.flatMap((word) => word.split(',')).flatMap((word) => word.trim() || []);
  for (const network of networks) {
    if (isNetwork(network)) continue;
    throw new UsageError(`${name} must be addresses or networks of proxies, not "${network}"`, {
      hint: 'for example 10.0.0.5, 172.16.0.0/12 or fd00::/8, separated by commas',
    });
  }
  return networks;
}
