/** What happens to a service that endures: it is killed, its disk is full, its file is held, its clock is set. */
import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { openStore } from '../../../src/service/store/index.ts';
import type { EnduringService } from './process.ts';

export type Fault = 'kill' | 'full disk' | 'held file' | 'clock forward' | 'clock back';

const [MOUNT, UNMOUNT] = ['mount', 'umount'];

interface Disk {
  readonly folder: string;
  /** Whether it is one of its own that can be filled. */
  readonly isSmall: boolean;
  /** Leaves this much room, in bytes. */
  fill(left?: number): void;
  free(): void;
  /** Makes its folder read-only for what is opened from now on. */
  protect(): void;
  remove(): void;
}

/** A small disk in memory; where none may be mounted here, a folder that is never full. */
export function smallDisk(home: string, megabytes: number): Disk {
  const folder = join(home, 'disk');
  mkdirSync(folder);
  let isSmall = true;
  let isProtected = false;
  try {
    execFileSync(MOUNT, ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    isSmall = false;
  }
  const filler = join(folder, 'filler');
  return {
    ...{ folder, isSmall },
    fill(left = 0) {
      if (!isSmall) return;
      const file = openSync(filler, 'w');
      try {
        let written = 0;
        for (let size = 1 << 20; size >= 512; ) {
          try {
            written += writeSync(file, Buffer.alloc(size));
          } catch {
            size >>= 1;
          }
        }
        ftruncateSync(file, Math.max(0, written - left));
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filler, { force: true }),
    protect() {
      execFileSync(MOUNT, ['--bind', folder, folder]);
      execFileSync(MOUNT, ['-o', 'remount,bind,ro', folder]);
      isProtected = true;
    },
    remove() {
      if (isProtected) execFileSync(UNMOUNT, ['-l', folder]);
      // Lazily: a store that was read here is let go of only when its statements are collected.
      if (isSmall) execFileSync(UNMOUNT, ['-l', folder]);
    },
  };
}

/** Holds the file of a service that is down, and sees that it refuses to start; says what is wrong. */
export async function heldFile(service: EnduringService, file: string): Promise<string | undefined> {
  const holder = await openStore({ path: file }, { clock: systemClock, random: systemRandom });
  try {
    const { code, said } = await service.refused();
    return code === 2 && said.includes('in use by another service')
      ? undefined
      : `over a file that another holds it ended with ${code}: ${said}`;
  } finally {
    await holder.close();
  }
}
