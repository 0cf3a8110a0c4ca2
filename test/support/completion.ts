/** Homes whose shells have loaded the script of `sonde completion`, and windows with such a shell in which Tab is pressed. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { answerShell } from '../../src/cli/completion/answer-shell.ts';
import type { ShellName } from '../../src/cli/completion/shells/index.ts';
import { BINARY, bareEnv, type Env } from './binary.ts';
import { eventually } from './eventually.ts';
import { needs } from './needs.ts';
import { openWindow, type Window } from './tmux.ts';

export type TriedShell = Exclude<ShellName, 'powershell'>;
export const TRIED: readonly TriedShell[] = ['bash', 'zsh', 'fish'];
export const needsShell = (shell: TriedShell) => needs(shell);
/** The file of the package that loads completions by the name of the command. */
export const BASH_COMPLETION = '/usr/share/bash-completion/bash_completion';

/** What each shell does when it starts: loads the script as its users are told to, and goes home. */
const STARTS: Readonly<
  Record<TriedShell, { readonly file: string; readonly text: string; readonly line: string[] }>
> = {
  bash: {
    file: '.bashrc',
    text: "PS1='$ '; bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; source <(sonde completion bash); cd",
    line: ['bash', '-i'],
  },
  zsh: {
    file: '.zshrc',
    text: "PS1='$ '; fpath=(~/functions $fpath); autoload -U compinit && compinit -u; unsetopt PROMPT_SP; cd",
    line: ['zsh', '-i'],
  },
  fish: {
    file: '.config/fish/config.fish',
    text: "function fish_prompt; echo -n '$ '; end; set -g fish_greeting; set -g fish_autosuggestion_enabled 0; cd",
    line: ['fish', '-i'],
  },
};

export interface Home {
  readonly path: string;
  readonly env: Record<string, string>;
  write(name: string, text: string): void;
  read(name: string): string;
}

/** A home of a person who has `sonde` on the PATH. It is removed with its test. */
export async function newHome(more: Env = {}): Promise<Home> {
  const path = mkdtempSync(join(tmpdir(), 'sonde-completion-'));
  // A shell that ends, and what Tab asks in the background, may still be writing.
  onTestFinished(() => eventually(() => rmSync(path, { recursive: true, force: true })));
  const write = (name: string, text: string, mode = 0o600): void => {
    mkdirSync(join(path, dirname(name)), { recursive: true });
    writeFileSync(join(path, name), text, { mode });
  };
  write('bin/sonde', `#!/bin/sh\nexec "${process.execPath}" "${BINARY}" "$@"\n`, 0o755);
  const env = bareEnv(path, more);
  return {
    path,
    env: { ...env, PATH: `${join(path, 'bin')}:${env.PATH}` },
    write,
    read: (name) => readFileSync(join(path, name), 'utf8'),
  };
}

export interface Moment {
  /** Milliseconds since the epoch. */
  readonly now?: number;
  /** Aborted once the person should wait no longer; never, where left out. */
  readonly deadline?: AbortSignal;
}

/** What is offered at the last of the words, in fish's form, by a clock of the test's own. */
export async function offered(
  home: Home,
  words: readonly string[],
  moment: Moment = {},
): Promise<readonly string[]> {
  const { now = Date.now(), deadline = new AbortController().signal } = moment;
  const text = await answerShell({
    argv: ['fish', String(words.length - 1), ...words],
    ...{ env: home.env, home: home.path, version: '0.0.0-test' },
    cwd: () => home.path,
    now: () => now,
    deadline: () => deadline,
  });
  return text.trimEnd().split('\n').slice(2);
}

/** A window of that home with a shell that has loaded the script; it waits for the first line. */
export async function openShellWindow(shell: TriedShell, home: Home, script: string): Promise<Window> {
  const { file, text, line } = STARTS[shell];
  home.write(file, `${text}\n`);
  home.write('functions/_sonde', script);
  home.write('.config/fish/completions/sonde.fish', script);
  const window = await openWindow({ env: home.env, columns: 100, shell: line });
  await window.shows((screen) => screen.at(-1) === '$' || screen.at(-1) === '$ ');
  return window;
}
