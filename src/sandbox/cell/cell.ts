/** Creates cells from the enclosures of a level: programs in a clean environment, safe file access, enforced limits. */
import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { chmod, open, writeFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import { join } from 'node:path';
import type { MemoryCgroup } from './cgroup.ts';
import { wrapProgram } from './launch.ts';
import {
  type Cell,
  type CellLimits,
  type CellPlan,
  type Enclosure,
  type Exceeded,
  errorCode,
  SandboxError,
  type Usage,
} from './sandbox.ts';

export interface MonitoredCell extends Cell {
  checkUsage(): Promise<void>;
}

function assertPlainName(name: string): string {
  if (!/^[\w.-]+$/.test(name) || name === '.' || name === '..')
    throw new SandboxError(`"${name}" is not a valid file name: use a plain name without a slash`);
  return name;
}

export function createCell(
  plan: CellPlan,
  enclosure: Enclosure,
  onClosed: () => void,
  memory?: MemoryCgroup,
): MonitoredCell {
  const { id, limits } = plan;
  const { folder, hostFolder } = enclosure;
  let exceeded: Exceeded | undefined;
  let closing: Promise<void> | undefined;
  const servers: Server[] = [];

  const close = (): Promise<void> => {
    closing ??= enclosure.destroy().finally(async () => {
      for (const server of servers) server.close();
      onClosed();
      exceeded ??= checkMemory();
      await memory?.remove();
    });
    return closing;
  };
  /** Returns whether the kernel ended a program, which may happen between two measurements. */
  const checkMemory = (): Exceeded | undefined => (memory?.hasOomKill() ? 'memory' : undefined);

  return {
    id,
    folder,
    pathOf: (path) => enclosure.pathOf?.(path) ?? path,
    spawn(argv, { env = {}, stdio = 'pipe' } = {}) {
      if (closing) throw new SandboxError('the cell is closed');
      const { env: variables, argv: wrapped } = wrapProgram(id, folder, env, argv);
      const [program = '', ...args] = [...(memory?.enterPrefix ?? []), ...enclosure.toArgv(wrapped)];
      // A separate session has no terminal, and helps to find the processes of the cell.
      const child = spawn(program, args, {
        cwd: enclosure.workingFolder,
        env: variables,
        stdio,
        detached: true,
      });
      enclosure.onStarted?.(child);
      return child;
    },
    async write(name, contents) {
      const path = join(hostFolder, assertPlainName(name));
      const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
      await writeFile(path, contents, { flag: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644 });
    },
    async read(name, maxBytes) {
      const path = join(hostFolder, assertPlainName(name));
      const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
        (error: unknown) => {
          // ELOOP: a link. ENXIO: a socket.
          if (['ENOENT', 'ELOOP', 'ENXIO', 'EACCES'].includes(String(errorCode(error)))) return undefined;
          throw error;
        },
      );
      if (file === undefined) return undefined;
      try {
        const stats = await file.stat();
        // A hard link may lead to a file that the script itself cannot read.
        if (!stats.isFile() || stats.nlink !== 1) return undefined;
        if (stats.size > maxBytes)
          throw new SandboxError(`${name} is larger than ${maxBytes} bytes: ${stats.size}`);
        const { buffer, bytesRead } = await file.read(Buffer.alloc(stats.size), 0, stats.size, 0);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
    async serve(name, server) {
      if (closing) throw new SandboxError('the cell is closed');
      const path = join(hostFolder, assertPlainName(name));
      await new Promise<void>((resolve, reject) => {
        server.once('error', (error) =>
          reject(new SandboxError(`cannot open a socket in a cell: ${error.message}`, error)),
        );
        server.listen(path, resolve);
      });
      servers.push(server);
      await chmod(path, 0o666);
    },
    exceeded: () => exceeded ?? checkMemory(),
    async checkUsage() {
      if (closing) return;
      const limit = checkMemory() ?? findExceeded(await enclosure.usage(), limits);
      if (limit === undefined || closing) return;
      exceeded = limit;
      await close();
    },
    close,
  };
}

function findExceeded(usage: Usage, limits: CellLimits): Exceeded | undefined {
  if (usage.memoryBytes > limits.memoryBytes) return 'memory';
  if (usage.cpuSeconds > limits.cpuSeconds) return 'cpu';
  if (usage.diskBytes > limits.diskBytes) return 'disk';
  if (usage.threads > limits.processes) return 'processes';
  return undefined;
}
