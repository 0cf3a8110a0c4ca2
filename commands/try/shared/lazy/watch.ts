/** Runs a task again after each change of the files that it has read. */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { raceWithAbort } from '../../../../src/base/abort.ts';
import { UsageError } from '../../../../src/base/errors.ts';
import { createWakeSignal } from '../../../../src/base/wake-signal.ts';
import type { Deps } from '../../../../src/cli/framework/index.ts';
import type { FileTree } from '../../../../src/cli/manifest/files/file-tree.ts';
import { isSondeError, printError } from '../../../../src/cli/program/report-error.ts';

/** An editor changes a file in several steps. */
const DEBOUNCE_MS = 100;
/** As `findFiles` in src/cli/manifest/files. */
const MANIFEST = /^[^.].*\.(?:ya?ml|json)$/i;
/** Folders that the run of a suite changes itself, or that nobody edits. */
const IGNORED = /(?:^|[/\\])(?:node_modules|test-results|playwright-report|\.git)(?:[/\\]|$)/;

interface WatchOptions {
  readonly tree: FileTree;
  /** Whether the output of a verdict is complete without its error. */
  readonly isVerdictPrinted: boolean;
  /** Reads files only from the tree. */
  readonly run: (tree: FileTree) => Promise<void>;
}

/** Runs the task until the signal aborts, and then rejects with its reason. Prints errors of runs. */
export async function runAtChanges(
  deps: Deps,
  { tree, isVerdictPrinted, run }: WatchOptions,
): Promise<never> {
  const { terminal, signal } = deps;
  const watcher = createFileWatcher(deps, tree);
  try {
    for (;;) {
      await run(watcher.tree).catch(async (error: unknown) => {
        if (signal.aborted || !isSondeError(error)) throw error;
        if (error.kind !== 'verdict' || !isVerdictPrinted) await printError(error, terminal, false);
      });
      await terminal.note('Waiting for changes. To stop, press Ctrl-C.');
      const changed = await watcher.nextChange();
      await terminal.note(`${changed} changed. Running again.`);
    }
  } finally {
    watcher.close();
  }
}

/** Watches everything that is read from its tree. */
function createFileWatcher({ cwd, clock, signal }: Pick<Deps, 'cwd' | 'clock' | 'signal'>, source: FileTree) {
  const watchers = new Map<string, FSWatcher>();
  /** Files that were read or looked for, and folders whose files are read. */
  const files = new Set<string>();
  const folders = new Set<string>();
  const wakeSignal = createWakeSignal();
  let changed: string | undefined;
  let count = 0;
  let failure: UsageError | undefined;

  function watchFolder(folder: string, matches: (path: string) => boolean, recursive = false): void {
    const key = `${folder}${recursive ? '/**' : ''}`;
    if (watchers.has(key)) return;
    const onError = (error: NodeJS.ErrnoException): void => {
      if (error.code === 'ENOENT') return;
      failure = new UsageError(`cannot watch ${relative(cwd, folder) || '.'}: ${error.message}`);
      wakeSignal.wake();
    };
    try {
      const watcher = watch(folder, { recursive }, (_, name) => {
        const path = name === null ? folder : join(folder, name);
        if (!matches(path)) return;
        changed = relative(cwd, path);
        count += 1;
        wakeSignal.wake();
      });
      watchers.set(key, watcher.on('error', onError));
    } catch (error) {
      onError(error as NodeJS.ErrnoException);
    }
  }

  const isRead = (path: string): boolean =>
    files.has(path) || (folders.has(dirname(path)) && MANIFEST.test(basename(path)));
  function watchFile(path: string): void {
    if (path === '-') return;
    files.add(resolve(cwd, path));
    watchFolder(dirname(resolve(cwd, path)), isRead);
  }

  const tree: FileTree = {
    typeOf(path) {
      watchFile(path);
      return source.typeOf(path);
    },
    list(folder) {
      folders.add(resolve(cwd, folder));
      watchFolder(resolve(cwd, folder), isRead);
      return source.list(folder);
    },
    readText(path) {
      watchFile(path);
      return source.readText(path);
    },
    async packSuite(folder, choice) {
      if ((await source.typeOf(folder)) === 'folder')
        watchFolder(resolve(cwd, folder), (path) => !IGNORED.test(relative(cwd, path)), true);
      return source.packSuite(folder, choice);
    },
  };

  return {
    tree,
    /** Returns the path of a file that has changed since the last call, once changes pause. */
    async nextChange(): Promise<string> {
      for (;;) {
        const woken = wakeSignal.next();
        if (failure !== undefined) throw failure;
        if (changed !== undefined) break;
        await raceWithAbort(woken, signal);
      }
      for (let before = -1; before !== count; ) {
        before = count;
        await clock.sleep(DEBOUNCE_MS, signal);
      }
      const path = changed;
      changed = undefined;
      return path;
    },
    close() {
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}
