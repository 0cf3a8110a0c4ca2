/** `sonde static-ips`: the addresses from which checks run (endpoint 19). */
import { plural } from '../src/base/plural.ts';
import { defineCommand } from '../src/cli/framework/index.ts';
import { listStaticIpsByRegion } from '../src/contract/index.ts';
import { type Column, isHumanReadable, render } from '../src/terminal/index.ts';

/** All texts in a value, however deep: the shape of the answer is not shown by the specification. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

/** The addresses of a region, by their family. */
interface Region {
  readonly region: string;
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
}

/** An address left out of a firewall is a check that fails: nothing is cut. */
const ALL = 10_000;
const COLUMNS: readonly Column<Region>[] = [
  { key: 'region', priority: 100, minWidth: 24 },
  { key: 'ipv4', header: 'IPv4', kind: 'list', priority: 90, minWidth: 15, lines: ALL },
];
const IPV6: Column<Region> = {
  ...{ key: 'ipv6', header: 'IPv6', kind: 'list', priority: 90, minWidth: 15, lines: ALL },
};

export const command = defineCommand({
  name: 'static-ips',
  summary: 'List the source IP addresses of check runs by region',
  endpoint: listStaticIpsByRegion,
  formats: ['plain'],
  examples: [
    { line: 'static-ips', does: 'List all addresses by region' },
    { line: 'static-ips -o plain', does: 'Print one address per line, for a firewall' },
  ],
  async run({ client, terminal, signal }, { output }) {
    const { body: regions } = await (await client()).call(listStaticIpsByRegion, {}, { signal });
    const { format } = output;
    if (format === 'json' || format === 'yaml')
      return render(terminal, { kind: 'item', data: regions, output });
    const rows = Object.entries(regions).flatMap(([region, addresses]) =>
      textsIn(addresses).map((address) => ({ region, address })),
    );
    if (isHumanReadable(terminal, output) && !output.fields && rows.length > 0) {
      const byRegion = Object.entries(regions).map(([region, addresses]): Region => {
        const all = textsIn(addresses);
        return {
          region,
          ipv4: all.filter((address) => !address.includes(':')),
          ipv6: all.filter((address) => address.includes(':')),
        };
      });
      return render(terminal, {
        kind: 'list',
        data: byRegion,
        output,
        columns: byRegion.some(({ ipv6 }) => ipv6.length > 0) ? [...COLUMNS, IPV6] : COLUMNS,
        summary: () => {
          const distinct = new Set(rows.map(({ address }) => address)).size;
          return `${plural(distinct, 'address', 'addresses')} in ${plural(byRegion.length, 'region')}. For a firewall: -o plain.`;
        },
      });
    }
    await render(terminal, {
      kind: 'list',
      data: rows,
      output,
      columns: [{ key: 'region' }, { key: 'address', kind: 'id' }],
      formats: { plain: () => [...new Set(rows.map(({ address }) => `${address}\n`))].join('') },
    });
    if (rows.length === 0) await terminal.note('The service returned no addresses.');
  },
});
