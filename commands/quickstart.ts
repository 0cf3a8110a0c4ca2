/** `sonde quickstart`: demonstrates checks and the gate on a temporary service. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onAbort } from '../src/base/abort.ts';
import { PartialFailureError, type StopSignal, UsageError } from '../src/base/errors.ts';
import { EXIT } from '../src/base/exits.ts';
import { type Deps, defineCommand, text } from '../src/cli/framework/index.ts';
import { browsersFolder, findBrowserProblem } from '../src/cli/local-service/browser.ts';
import { serviceFolder } from '../src/cli/local-service/data-folder.ts';
import { confirm } from '../src/terminal/index.ts';

interface Shop {
  /** `http://127.0.0.1:PORT/` */
  readonly url: string;
  close(): Promise<void>;
}

const PAGE = `<!doctype html>
<title>Shop</title>
<h1>Shop</h1>
<button onclick="document.querySelector('output').textContent = 'Thank you!'">Buy</button>
<output></output>
`;

const SHOP_SCRIPT = `import { expect, test } from '@playwright/test';

test('a customer can buy', async ({ page }) => {
  await page.goto(process.env.SHOP ?? '');
  await page.getByRole('button', { name: 'Buy' }).click();
  await expect(page.getByRole('status')).toHaveText('Thank you!');
});
`;

async function openShop(): Promise<Shop> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The record of the built-in name server, in a reserved domain. */
const LOCAL_DOMAIN = 'www.sonde.example';
const LOCAL_ADDRESS = '192.0.2.10';
/** A reserved address, which no domain of a user can have. */
const OTHER_ADDRESS = '203.0.113.7';

/** The domain to check, and its name server. */
interface Target {
  readonly domain: string;
  readonly nameServer: string | undefined;
  readonly port: number;
  readonly close: () => Promise<void>;
}

export const command = defineCommand({
  name: 'quickstart',
  summary: 'Try checks and the gate on a temporary service',
  description:
    'Starts an embedded service in a temporary folder, creates a DNS check, runs it and waits for its verdict as a gate. Repeats this with a failing check, and with a browser check if a browser is installed. Ends with a dashboard of the checks. Works offline: it includes a small name server and web page. Removes everything at the end; in a terminal, it asks first.',
  options: {
    domain: text('Domain name to check instead of a name on the built-in name server', {
      placeholder: 'name',
    }),
    nameServer: text('Name server that resolves the domain', { placeholder: 'host[:port]' }),
  },
  examples: [
    { line: 'quickstart', does: 'Run without a network' },
    { line: 'quickstart --domain example.com --name-server 1.1.1.1', does: 'Check a real domain name' },
  ],
  // The command stops its processes before it ends.
  stops: 'itself',
  async run(deps, { options }) {
    if (options.nameServer !== undefined && options.domain === undefined) {
      throw new UsageError('--name-server requires --domain', {
        hint: 'pass the domain to check with --domain',
      });
    }
    const work = runTour(deps, () => openTarget(options.domain, options.nameServer));
    deps.self.onSecondStop(() => work.catch(() => {}));
    await work;
  },
});

/** Runs the tour and removes its processes and files, even after a signal. */
async function runTour(deps: Deps, open: () => Promise<Target>): Promise<void> {
  const target = await open();
  const home = await mkdtemp(join(tmpdir(), 'sonde-quickstart-'));
  const sonde = createRunner(deps, home);
  try {
    await linkBrowser(deps, home);
    await runSteps(deps, sonde, target, home);
  } finally {
    await sonde('service stop', { quiet: true, always: true });
    await target.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** Links the user's installed browser into the temporary data folder. */
async function linkBrowser(deps: Deps, home: string): Promise<void> {
  const installed = browsersFolder(serviceFolder(deps, undefined));
  if (!existsSync(installed)) return;
  const data = serviceFolder({ ...deps, env: temporaryFolders(home) }, undefined);
  await mkdir(data, { recursive: true, mode: 0o700 });
  await symlink(installed, browsersFolder(data));
}

/** Environment variables that keep all files of `sonde quickstart` in its temporary folder. */
const temporaryFolders = (home: string) => ({
  XDG_CONFIG_HOME: join(home, 'config'),
  XDG_DATA_HOME: join(home, 'data'),
  XDG_STATE_HOME: join(home, 'state'),
  XDG_CACHE_HOME: join(home, 'cache'),
});

/** Returns the domain of the user, or starts the built-in name server. */
async function openTarget(domain: string | undefined, server: string | undefined): Promise<Target> {
  if (domain !== undefined) {
    const [, host, port = '53'] = /^(.*?)(?::(\d+))?$/.exec(server ?? '') ?? [];
    const isIpv6 = (server ?? '').split(':').length > 2;
    return {
      domain,
      nameServer: (isIpv6 ? server : host) || undefined,
      port: isIpv6 ? 53 : Number(port),
      close: async () => {},
    };
  }
  const { startLoopbackNameServer } = await import('../src/runners/dns/loopback-server.ts');
  const running = await startLoopbackNameServer({
    records: { [LOCAL_DOMAIN]: [{ type: 'A', data: LOCAL_ADDRESS }] },
  });
  return { domain: LOCAL_DOMAIN, nameServer: running.address, port: running.port, close: running.close };
}

interface CommandOptions {
  /** Shows neither the command nor its output. */
  readonly quiet?: boolean;
  /** Receives stdout instead of the screen. */
  readonly onResult?: (text: string) => void;
  /** Runs even after an interruption. */
  readonly always?: boolean;
}
type RunSonde = (line: string, way?: CommandOptions) => Promise<number>;

/** Returns a function that runs sonde with temporary folders, so that the user's profiles are not touched. */
function createRunner({ self, env, signal, terminal }: Deps, home: string): RunSonde {
  const clean = Object.entries(env).filter(([name]) => !name.startsWith('SONDE_'));
  const own = { ...Object.fromEntries(clean), ...temporaryFolders(home) };
  return async (line, { quiet = false, always = false, onResult } = {}) => {
    if (!always) signal.throwIfAborted();
    const styles = await terminal.styles('stderr');
    if (!quiet) await terminal.err(`\n${styles.dim('$')} ${styles.bold(`sonde ${line}`)}\n`);
    // The lines of the tour contain only single quotes.
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const child = spawn(self.execPath, [self.script, ...words], {
      env: own,
      cwd: home,
      // A terminal sends Ctrl-C to the process group. In a separate group, a step receives it only from here.
      detached: true,
      stdio: ['ignore', onResult ? 'pipe' : quiet ? 'ignore' : 'inherit', quiet ? 'ignore' : 'inherit'],
    });
    let result = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      result += text;
    });
    const removeListener = onAbort(always ? undefined : signal, () =>
      child.kill((signal.reason as { readonly signal?: StopSignal }).signal ?? 'SIGTERM'),
    );
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (ended) => resolve(ended ?? EXIT.bug));
    }).finally(removeListener);
    if (!always) signal.throwIfAborted();
    onResult?.(result.trim());
    return code;
  };
}

/** Runs the steps. Throws if a step exits with an unexpected code, because the tour also tests the installation. */
async function runSteps(
  { terminal, signal }: Deps,
  sonde: RunSonde,
  { domain, nameServer, port }: Target,
  home: string,
): Promise<void> {
  const styles = await terminal.styles('stderr');
  const printStep = (sentence: string) => terminal.note(`\n${sentence}`);
  const step = async (line: string, expected = 0) => {
    const code = await sonde(line);
    const shown = `exit code ${code}`;
    await terminal.err(`${code === 0 ? styles.green(shown) : styles.red(shown)}\n`);
    if (code !== expected) {
      throw new PartialFailureError(`"sonde ${line}" exited with ${code}; expected ${expected}`, code || 1, {
        hint: 'see the output above; "sonde quickstart" without flags needs no network',
      });
    }
  };
  const server = nameServer === undefined ? '' : ` --name-server ${nameServer} --port ${port}`;
  const create = (name: string, rest: string) =>
    `checks create-dns --name '${name}' --query ${domain}${server} --locations eu-central-1,us-east-1 --run-parallel ${rest}`;

  await printStep('1. Start a temporary service.');
  await step('service start --detach --listen 127.0.0.1:0');
  await printStep(`2. Create a check: ${domain} must resolve, from two locations.`);
  await step(create('Name resolves', "--tags good --assert 'RESPONSE_CODE EQUALS NOERROR'"));
  await printStep('3. Run the check and wait for its verdict. Use this command in a deployment.');
  await step('checks run --tag good');
  await printStep('4. Create a failing check: the name does not have this address.');
  await step(create('Name has moved', `--tags moved --assert 'TEXT_ANSWER CONTAINS ${OTHER_ADDRESS}'`));
  await printStep('5. Run it: the gate fails and stops the deployment.');
  await step('checks run --tag moved', 1);
  let id = '';
  await sonde("api get /v1/checks --query tag=moved --jq '.[0].id'", {
    quiet: true,
    onResult: (text) => {
      id = text;
    },
  });
  await printStep('6. Find the cause: similar failures form one error group.');
  await step(`error-groups list ${id}`);
  const problem = await queryBrowserProblem(sonde);
  if (problem !== undefined) await printStep(`7. Skip the browser check, which needs a browser: ${problem}`);
  else {
    await printStep('7. Create a browser check: a script buys something in a small shop.');
    await writeFile(join(home, 'shop.spec.ts'), SHOP_SCRIPT);
    const shop = await openShop();
    try {
      await step(
        `checks create-browser --name 'A customer can buy' --script-file shop.spec.ts --env SHOP=${shop.url} --tags shop`,
      );
      await step('checks run --tag shop');
    } finally {
      await shop.close();
    }
  }

  const { url } = await readStatus(sonde);
  await printStep('8. Show the checks on a dashboard.');
  await step("dashboards create --header 'Quickstart' --custom-url quickstart");
  const dashboard = `${url}/dashboards/quickstart`;
  const { status } = await fetch(dashboard);
  if (status !== 200)
    throw new PartialFailureError(`${dashboard} answered ${status}; expected 200`, EXIT.bug);

  await terminal.err(
    `\n${styles.green('Done.')} sonde stops the service and removes its folder at the end. Next steps:\n\n` +
      '  sonde service start --detach     Start a permanent service on port 4100\n' +
      (problem === undefined
        ? ''
        : '  sonde browser install            Install a browser for browser checks\n') +
      '  sonde checks create-dns --help   See the settings of a DNS check\n' +
      '  sonde --help                     List all commands\n\n' +
      (terminal.canAsk
        ? `The checks of this tour: ${styles.bold(dashboard)}\n`
        : `The checks of this tour were at ${dashboard} until now. In a terminal, quickstart waits before it stops the service.\n`),
  );
  const stop = { message: 'Stop the service and remove its folder?', flag: '--yes', default: true, signal };
  while (terminal.canAsk && !(await confirm(terminal, stop)));
}

interface Status {
  readonly url: string;
}

async function readStatus(sonde: RunSonde): Promise<Status & Parameters<typeof findBrowserProblem>[0]> {
  let json = '';
  await sonde('service status --json', {
    quiet: true,
    onResult: (text) => {
      json = text;
    },
  });
  return JSON.parse(json);
}

/** Returns why the temporary service has no browser. Undefined: it has one. */
const queryBrowserProblem = async (sonde: RunSonde): Promise<string | undefined> =>
  findBrowserProblem(await readStatus(sonde));
