/** Load over HTTP over a few connections: each request as soon as the one before is answered, or so many a second. */
import { setTimeout as delay } from 'node:timers/promises';
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

/** Sends requests at a fixed rate for a given time, without waiting for answers. Throws if a status is not 200. */
export async function steadyLoad(url: string, perSecond: number, seconds: number): Promise<void> {
  const dispatcher = new Agent({ connections: 20 });
  const began = performance.now();
  const answers: Promise<void>[] = [];
  for (let asked = 0; asked < perSecond * seconds; asked += 1) {
    const ms = began + (asked * 1000) / perSecond - performance.now();
    if (ms > 0) await delay(ms);
    answers.push(
      request(url, { dispatcher }).then(async ({ statusCode, body }) => {
        await body.dump();
        if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
      }),
    );
  }
  await Promise.all(answers);
  await dispatcher.close();
}
