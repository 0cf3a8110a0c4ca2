/** `sonde quickstart`: the main job walked in front of a new user, on an embedded service of its own. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StopSignal } from '../src/base/errors.ts';
import { PartialFailureError, UsageError } from '../src/base/errors.ts';
import { EXIT } from '../src/base/exits.ts';
import { type Deps, defineCommand, text } from './kernel/index.ts';
import { openShop, SHOP_SCRIPT } from './shared/quickstart/shop.ts';
import { browserProblem, browsersFolder } from './shared/service/browser.ts';
import { serviceFolder } from './shared/service/folder.ts';

/** What the walk's own name server knows: names of a domain that nobody can own. */
const HOME_NAME = 'www.sonde.example';
const HOME_ADDRESS = '192.0.2.10';
/** An address that is reserved for documents, so no name that a user gives can rightly have it. */
const WRONG_ADDRESS = '203.0.113.7';

/** Where names are looked up. */
interface Target {
  readonly domain: string;
  readonly nameServer: string | undefined;
  readonly port: number;
  readonly close: () => Promise<void>;
}

export const command = defineCommand({
  name: 'quickstart',
  summary: 'Walk through the main job on a service of its own, then clean up',
  description:
    'Starts an embedded service in a temporary folder, creates a DNS check, runs it, waits on its session as a gate, then does the same with one that fails, and with a browser check if a browser is installed. Works offline: it brings a small name server and a small web page. Nothing is left behind.',
  options: {
    domain: text('Check this name instead of one on a name server of its own', { placeholder: 'name' }),
    nameServer: text('Ask this name server about it', { placeholder: 'host[:port]' }),
  },
  examples: [
    { line: 'quickstart', does: 'needs no network' },
    { line: 'quickstart --domain example.com --name-server 1.1.1.1', does: 'checks a real name' },
  ],
  // It stops the processes that it started before it ends.
  stops: 'itself',
  async run(deps, { options }) {
    if (options.nameServer !== undefined && options.domain === undefined) {
      throw new UsageError('--name-server is of use only with --domain', {
        hint: 'name the domain that is checked',
      });
    }
    const work = walkAndCleanUp(deps, () => openTarget(options.domain, options.nameServer));
    deps.self.onHurry(() => work.catch(() => {}));
    await work;
  },
});

/** Leaves neither a process nor a file, also after a signal. */
async function walkAndCleanUp(deps: Deps, open: () => Promise<Target>): Promise<void> {
  const target = await open();
  const home = await mkdtemp(join(tmpdir(), 'sonde-quickstart-'));
  const sonde = shell(deps, home);
  try {
    await lendBrowser(deps, home);
    await walk(deps, sonde, target, home);
  } finally {
    await sonde('service stop', { quietly: true, always: true });
    await target.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** Lets the service of the walk use the browser that the user installed for the service in the data folder. */
async function lendBrowser(deps: Deps, home: string): Promise<void> {
  const installed = browsersFolder(serviceFolder(deps, undefined));
  if (!existsSync(installed)) return;
  const data = serviceFolder({ ...deps, env: ownFolders(home) }, undefined);
  await mkdir(data, { recursive: true, mode: 0o700 });
  await symlink(installed, browsersFolder(data));
}

/** Environment variables that keep all files of `sonde quickstart` in its temporary folder. */
const ownFolders = (home: string) => ({
  XDG_CONFIG_HOME: join(home, 'config'),
  XDG_DATA_HOME: join(home, 'data'),
  XDG_STATE_HOME: join(home, 'state'),
  XDG_CACHE_HOME: join(home, 'cache'),
});

/** A name server of our own, or what the user named. */
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
    records: { [HOME_NAME]: [{ type: 'A', data: HOME_ADDRESS }] },
  });
  return { domain: HOME_NAME, nameServer: running.address, port: running.port, close: running.close };
}

interface Way {
  /** Nothing is shown, of the command or of what it prints. */
  readonly quietly?: boolean;
  /** Is given what the command prints, instead of the screen. */
  readonly onResult?: (text: string) => void;
  /** Also after the user interrupted the walk. */
  readonly always?: boolean;
}
type Sonde = (line: string, way?: Way) => Promise<number>;

/** Runs sonde itself, as a person would, with a home of its own; the user's profiles are neither read nor written. */
function shell({ self, env, signal, terminal }: Deps, home: string): Sonde {
  const clean = Object.entries(env).filter(([name]) => !name.startsWith('SONDE_'));
  const own = { ...Object.fromEntries(clean), ...ownFolders(home) };
  return async (line, { quietly = false, always = false, onResult } = {}) => {
    if (!always) signal.throwIfAborted();
    const styles = await terminal.styles('stderr');
    if (!quietly) await terminal.err(`\n${styles.dim('$')} ${styles.bold(`sonde ${line}`)}\n`);
    // Single quotes are all that the lines of this walk use.
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const child = spawn(self.execPath, [self.script, ...words], {
      env: own,
      cwd: home,
      // A terminal sends Ctrl-C to a whole group: each step gets it once, from here.
      detached: true,
      stdio: ['ignore', onResult ? 'pipe' : quietly ? 'ignore' : 'inherit', quietly ? 'ignore' : 'inherit'],
    });
    let result = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      result += text;
    });
    const stop = () => child.kill((signal.reason as { readonly signal?: StopSignal }).signal ?? 'SIGTERM');
    if (!always) signal.addEventListener('abort', stop, { once: true });
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (ended) => resolve(ended ?? EXIT.bug));
    }).finally(() => signal.removeEventListener('abort', stop));
    if (!always) signal.throwIfAborted();
    onResult?.(result.trim());
    return code;
  };
}

/** The walk. Fails where a step does not end as it should: it is a test of this installation, too. */
async function walk(
  { terminal }: Deps,
  sonde: Sonde,
  { domain, nameServer, port }: Target,
  home: string,
): Promise<void> {
  const styles = await terminal.styles('stderr');
  const say = (sentence: string) => terminal.note(`\n${sentence}`);
  const step = async (line: string, expected = 0) => {
    const code = await sonde(line);
    const shown = `exit code ${code}`;
    await terminal.err(`${code === 0 ? styles.green(shown) : styles.red(shown)}\n`);
    if (code !== expected) {
      throw new PartialFailureError(
        `"sonde ${line}" was to end with ${expected} and ended with ${code}`,
        code || 1,
        {
          hint: 'the lines above say why; "sonde quickstart" without options needs no network',
        },
      );
    }
  };
  const server = nameServer === undefined ? '' : ` --name-server ${nameServer} --port ${port}`;
  const create = (name: string, rest: string) =>
    `checks create-dns --name '${name}' --query ${domain}${server} --locations eu-central-1,us-east-1 --run-parallel ${rest}`;

  await say('1. A service of its own, for this walk alone.');
  await step('service start --detach --listen 127.0.0.1:0');
  await say(`2. A check: ${domain} must resolve, from two locations.`);
  await step(create('Name resolves', "--tags good --assert 'RESPONSE_CODE EQUALS NOERROR'"));
  await say('3. Run it, and hold until its session has ended. This line can stand in a deployment.');
  await step('checks run --tag good');
  await say('4. A check that must fail: the name does not have this address.');
  await step(create('Name has moved', `--tags moved --assert 'TEXT_ANSWER CONTAINS ${WRONG_ADDRESS}'`));
  await say('5. The gate closes: the deployment stops here.');
  await step('checks run --tag moved', 1);
  let id = '';
  await sonde("api get /v1/checks --query tag=moved --jq '.[0].id'", {
    quietly: true,
    onResult: (text) => {
      id = text;
    },
  });
  await say('6. Why? Failures that are alike are one error group.');
  await step(`error-groups list ${id}`);
  const problem = await whyNoBrowser(sonde);
  if (problem !== undefined) await say(`7. A browser check needs a browser: ${problem}`);
  else {
    await say('7. A browser check: a script buys something in a small shop.');
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

  await terminal.err(
    `\n${styles.green('That was the main job.')} The service is stopped and its folder is gone. To go on:\n\n` +
      '  sonde service start --detach     a service that stays, on port 4100\n' +
      (problem === undefined ? '' : '  sonde browser install            a browser for browser checks\n') +
      '  sonde checks create-dns --help   what a DNS check can look at\n' +
      '  sonde --help                     everything else\n',
  );
}

/** Why the service of the walk has no browser; undefined: it has one. */
async function whyNoBrowser(sonde: Sonde): Promise<string | undefined> {
  let health = '';
  await sonde('service status --json', {
    quietly: true,
    onResult: (text) => {
      health = text;
    },
  });
  return browserProblem(JSON.parse(health));
}
