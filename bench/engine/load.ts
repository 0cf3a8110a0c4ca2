/** Load over HTTP: so many requests over a few connections, each as soon as the one before is answered. */
import { Agent, request } from 'undici';

/** Asks so often, for one address after the other; throws on an answer that is not 200. Answers the seconds that it took. */
export async function load(
  urls: readonly string[],
  headers: Readonly<Record<string, string>>,
  requests: number,
  connections = 20,
): Promise<number> {
  const dispatcher = new Agent({ connections });
  const began = performance.now();
  let left = requests;
  const one = async () => {
    while (left > 0) {
      left -= 1;
      const url = urls[left % urls.length] ?? '';
      const { statusCode, body } = await request(url, { dispatcher, headers });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${text.slice(0, 200)}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  await dispatcher.close();
  return (performance.now() - began) / 1000;
}
