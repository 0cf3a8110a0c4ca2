/** `sonde static-ips`: the addresses from which checks run (endpoint 19). */
import { listStaticIpsByRegion } from '../src/contract/index.ts';
import { render } from '../src/terminal/index.ts';
import { defineCommand } from './kernel/index.ts';

/** All texts in a value, however deep: the shape of the answer is not shown by the specification. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

export const command = defineCommand({
  name: 'static-ips',
  summary: 'List the source addresses of check runs by region',
  endpoint: listStaticIpsByRegion,
  formats: ['plain'],
  examples: [
    { line: 'static-ips', does: 'lists every address with its region' },
    { line: 'static-ips -o plain', does: 'prints one address a line, for a firewall' },
  ],
  async run({ client, terminal, signal }, { output }) {
    const { body: regions } = await (await client()).call(listStaticIpsByRegion, {}, { signal });
    const { format } = output;
    if (format === 'json' || format === 'yaml')
      return render(terminal, { kind: 'item', data: regions, output });
    const rows = Object.entries(regions).flatMap(([region, addresses]) =>
      textsIn(addresses).map((address) => ({ region, address })),
    );
    await render(terminal, {
      kind: 'list',
      data: rows,
      output,
      columns: [{ key: 'region' }, { key: 'address', kind: 'id' }],
      formats: { plain: () => [...new Set(rows.map(({ address }) => `${address}\n`))].join('') },
    });
    if (rows.length === 0) await terminal.note('The service names no addresses.');
  },
});
