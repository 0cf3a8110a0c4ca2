/** Networks of their own for a service and its agents: a namespace each, and a cable from each to the service's. Linux, as root. */
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { findProgram } from '../needs.ts';

const run = promisify(execFile);
const ip = async (...words: readonly string[]): Promise<void> => void (await run('ip', [...words]));

/** Why there can be no such networks here; undefined: there can. */
export function whyNoNetworks(): string | undefined {
  if (findProgram('ip') === undefined) return 'ip is not installed (Debian: apt-get install iproute2)';
  const name = `sonde-${process.pid}-try`;
  try {
    execFileSync('ip', ['netns', 'add', name], { stdio: 'ignore' });
    execFileSync('ip', ['netns', 'del', name], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'this user may make no network namespaces';
  }
}

/** A network with one cable, to the service's. */
export interface Island {
  /** For `ip netns exec`. */
  readonly namespace: string;
  /** Where the service is, as seen from here. */
  readonly serviceHost: string;
  cut(): Promise<void>;
  restore(): Promise<void>;
}

export interface Networks {
  /** The service's own. */
  readonly namespace: string;
  /** The service as this machine itself reaches it. */
  readonly serviceHost: string;
  island(): Promise<Island>;
  remove(): Promise<void>;
}

/** Makes the service's network, with a cable to this machine's own. */
export async function openNetworks(): Promise<Networks> {
  const id = process.pid % 100_000;
  const namespace = `sonde-${id}-s`;
  const made: string[] = [];
  let cables = 0;
  // One of 64 ranges: another such test may run at the same time.
  const range = id % 64;

  async function add(name: string): Promise<void> {
    await ip('netns', 'add', name);
    made.push(name);
    await ip('-n', name, 'link', 'set', 'lo', 'up');
  }

  /** A cable from the service's network to another; undefined: to this machine's own. */
  async function cable(to: string | undefined) {
    cables += 1;
    const [near, far] = [`sd${id}s${cables}`, `sd${id}f${cables}`];
    const net = `10.${199 + (cables >> 6)}.${range * 4 + ((cables >> 4) & 3)}`;
    const first = (cables & 15) * 16;
    const [serviceHost, farHost] = [`${net}.${first + 1}`, `${net}.${first + 2}`];
    await ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far);
    await ip('link', 'set', near, 'netns', namespace);
    const there = to === undefined ? [] : ['-n', to];
    if (to !== undefined) await ip('link', 'set', far, 'netns', to);
    await ip('-n', namespace, 'addr', 'add', `${serviceHost}/30`, 'dev', near);
    await ip(...there, 'addr', 'add', `${farHost}/30`, 'dev', far);
    await ip('-n', namespace, 'link', 'set', near, 'up');
    await ip(...there, 'link', 'set', far, 'up');
    return { serviceHost, near };
  }

  await add(namespace);
  const { serviceHost } = await cable(undefined);
  return {
    ...{ namespace, serviceHost },
    async island() {
      const name = `sonde-${id}-${made.length}`;
      await add(name);
      const to = await cable(name);
      return {
        ...{ namespace: name, serviceHost: to.serviceHost },
        cut: () => ip('-n', namespace, 'link', 'set', to.near, 'down'),
        restore: () => ip('-n', namespace, 'link', 'set', to.near, 'up'),
      };
    },
    async remove() {
      for (const name of made.reverse()) await ip('netns', 'del', name).catch(() => {});
    },
  };
}
