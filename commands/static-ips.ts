/** `sonde static-ips`: lists the source addresses of check runs (endpoint 19). */
import { plural } from '../src/base/plural.ts';
import { defineCommand } from '../src/cli/framework/index.ts';
import { listStaticIpsByRegion } from '../src/contract/index.ts';
import { type Column, isHumanReadable, render } from '../src/terminal/index.ts';

/** Collects all texts in a value at any depth, because the specification does not define the response. */
const collectTexts = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectTexts) : [];
};

/** The addresses of a region by family. */
interface Region {
  readonly region: string;
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
}

/** Addresses are never truncated: one that is missing in a firewall lets checks fail. */
const MAX_LINES = 10_000;
const COLUMNS: readonly Column<Region>[] = [
  { key: 'region', priority: 100, minWidth: 24 },
  { key: 'ipv4', header: 'IPv4', kind: 'list', priority: 90, minWidth: 15, lines: MAX_LINES },
];
const IPV6: Column<Region> = {
  key: 'ipv6',
  header: 'IPv6',
  kind: 'list',
  priority: 90,
  minWidth: 15,
  lines: MAX_LINES,
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
      collectTexts(addresses).map((address) => ({ region, address })),
    );
    if (isHumanReadable(terminal, output) && !output.fields && rows.length > 0) {
      const byRegion = Object.entries(regions).map(([region, addresses]): Region => {
        const all = collectTexts(addresses);
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
