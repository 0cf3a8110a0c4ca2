/**
 * Measures `sonde plan` and `sonde apply` as processes against a service: `npm run bench:manifest [checks]`, 1,000 by default.
 * Both share the processors of this machine. Counts the requests that the service answered.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sonde } from '../../test/support/binary.ts';
import { type E2eService, startE2eService } from '../../test/support/e2e.ts';
import type { Row } from '../gate/table.ts';
import { measureParts } from '../parts.ts';

/** Checks in one file. */
const PER_FILE = 100;

interface World {
  readonly service: E2eService;
  readonly folder: string;
}

/** Returns a file of checks as a team writes them, of several types and with a group. */
function checksFile(first: number, count: number, frequency: number): string {
  const checks = Array.from({ length: count }, (_, index) => {
    const name = `Shop ${first + index}`;
    const request =
      index % 2 === 0
        ? `    checkType: URL\n    request:\n      url: https://shop.test/${first + index}\n      assertions:\n        - { source: STATUS_CODE, comparison: EQUALS, target: "200" }\n`
        : `    checkType: DNS\n    request: { query: shop${first + index}.test, recordType: AAAA }\n`;
    return `  - name: ${name}\n${request}    group: Shop\n    tags: [shop, edge]\n    frequency: ${frequency}\n`;
  });
  return `checks:\n${checks.join('')}`;
}

async function writeProject(folder: string, checks: number, frequency: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'project.yaml'),
    'project: shop\ndefaults:\n  checks:\n    locations: [eu-west-1]\ngroups:\n  - name: Shop\n',
  );
  for (let first = 0; first < checks; first += PER_FILE) {
    const count = Math.min(PER_FILE, checks - first);
    await writeFile(join(folder, `checks-${first}.yaml`), checksFile(first, count, frequency));
  }
}

/** Returns the number of requests that the service has answered to keys. */
async function countRequests({ api }: E2eService): Promise<number> {
  const { body } = await api('GET /metrics');
  return [
    ...String(body).matchAll(/^sonde_http_requests_total\{.*route="\/(?:v\d|next).*\} (\d+)$/gm),
  ].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function measure(
  { service, folder }: World,
  what: string,
  args: readonly string[],
  most?: number,
): Promise<Row> {
  const before = await countRequests(service);
  const began = performance.now();
  const { code, stderr } = await sonde([...args, folder], { env: service.env });
  const seconds = (performance.now() - began) / 1000;
  if (code !== 0) throw new Error(`${args.join(' ')}: exit ${code}\n${stderr}`);
  const note = `${(await countRequests(service)) - before} requests`;
  return { what, value: seconds, unit: 's', note, ...(most === undefined ? {} : { most }) };
}

export async function main([given = '1000']: readonly string[]): Promise<number> {
  const count = Number(given);
  const isStandard = count === 1000;
  const limit = (most: number) => (isStandard ? most : undefined);
  return measureParts<World>(
    {
      async run(world) {
        await writeProject(world.folder, count, 10);
        const rows = [await measure(world, `plan of ${count} new checks`, ['plan'], limit(1.5))];
        rows.push(await measure(world, `apply of ${count} new checks`, ['apply', '--yes'], limit(5)));
        rows.push(await measure(world, `plan of ${count} unchanged checks`, ['plan'], limit(1.5)));
        await writeProject(world.folder, count, 5);
        rows.push(await measure(world, `plan of ${count} changed checks`, ['plan'], limit(1.5)));
        rows.push(await measure(world, `apply of ${count} changed checks`, ['apply', '--yes'], limit(5)));
        return rows;
      },
    },
    [],
    async () => {
      const service = await startE2eService();
      return {
        world: { service, folder: join(service.home, 'monitoring') },
        close: async () => void (await service.close()),
      };
    },
  );
}
