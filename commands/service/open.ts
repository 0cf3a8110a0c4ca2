/** `sonde service open`: opens the home page of the service in a browser. */
import { defineCommand } from '../../src/cli/framework/index.ts';

export const command = defineCommand({
  name: 'service open',
  summary: 'Open the pages of the service in a browser',
  description:
    'Signs the browser in with the API key of the profile: a link that works once and expires after five minutes. Press the button of its page. Opens $BROWSER or the browser of the system. Without a browser or a terminal, sonde prints the link. The browser gets a file of your state folder, because other users of this machine can see the arguments of programs. If your browser cannot read the file, print the link.',
  examples: [
    { line: 'service open', does: 'Open the home page' },
    { line: 'service open --json --jq .url', does: 'Print the link' },
  ],
  async run(deps, line) {
    const { openPage } = await import('../../src/cli/web/lazy/open-page.ts');
    await openPage(deps, line, '/');
  },
});
