/** Describes the commands that print the links of badges. */
import type { getCheckBadges, getGroupBadges, ResponseOf } from '../../contract/index.ts';
import { render } from '../../terminal/index.ts';
import { argument, defineCommand } from '../framework/index.ts';

type Badges = ResponseOf<typeof getCheckBadges>;

/** Returns the links as images of a README. */
const toMarkdown = (badges: Badges): string =>
  [
    ['Status', badges.status],
    ['Uptime', badges.uptime],
    ['Response time', badges.responseTime],
  ]
    .flatMap(([name, url]) => (url === undefined ? [] : `![${name}](${url})\n`))
    .join('');

export const badgeCommand = (
  commandGroup: 'checks' | 'groups',
  endpoint: typeof getCheckBadges | typeof getGroupBadges,
  noun: 'check' | 'group',
  sampleId: string,
) =>
  defineCommand({
    name: `${commandGroup} badge`,
    summary: `Print the links of the badges of a ${noun}`,
    description:
      'A badge is an SVG image for a README. Everyone with the link can see it, without an API key. ' +
      'Add ?period=24h, 7d, 30d or 90d to the link of the uptime, and ?style=flat-square or ?theme=light to any link.',
    endpoint,
    arguments: { id: argument(`ID of the ${noun}`, { param: 'id', of: noun }) },
    formats: ['plain'],
    examples: [
      { line: `${commandGroup} badge ${sampleId}`, does: 'Print the links' },
      {
        line: `${commandGroup} badge ${sampleId} -o plain >> README.md`,
        does: 'Add the badges to a README as Markdown',
      },
    ],
    async run({ client, terminal, signal }, { input, output }) {
      const { body } = await (await client()).call(endpoint, input, { signal });
      await render(terminal, {
        kind: 'item',
        data: body,
        output,
        columns: [{ key: 'status' }, { key: 'uptime' }, { key: 'responseTime', header: 'response time' }],
        formats: { plain: () => toMarkdown(body) },
      });
    },
  });
