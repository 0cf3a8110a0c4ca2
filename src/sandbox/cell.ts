/** A cell over what its level encloses: programs in a clean environment, files that cannot lead astray, limits that are watched. */
import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { chmod, open, writeFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import { join } from 'node:path';
import type { MemoryCgroup } from './cgroup.ts';
import { innerProgram } from './environment.ts';
import { codeOf, SandboxError } from './errors.ts';
import type { Cell, CellPlan, Enclosure, Exceeded, Usage } from './types.ts';

/** A cell with what the sandbox's watch needs of it. */
export interface WatchedCell extends Cell {
  /** Looks at what it uses, and ends it where that is too much. */
  look(): Promise<void>;
}

function plainName(name: string): string {
  if (!/^[\w.-]+$/.test(name) || name === '.' || name === '..')
    throw new SandboxError(`"${name}" is not a valid file name: use a plain name without a slash`);
  return name;
}

/** `memory`: the system's own bound; left out: the watch alone looks at it. */
export function createCell(
  plan: CellPlan,
  enclosure: Enclosure,
  onClosed: () => void,
  memory?: MemoryCgroup,
): WatchedCell {
  const { id, limits } = plan;
  const { folder, outside } = enclosure;
  let exceeded: Exceeded | undefined;
  let closing: Promise<void> | undefined;
  const servers: Server[] = [];

  const close = (): Promise<void> => {
    closing ??= enclosure.destroy().finally(async () => {
      for (const server of servers) server.close();
      onClosed();
      exceeded ??= overMemory();
      await memory?.remove();
    });
    return closing;
  };
  /** The system ends a program at once, between two looks. */
  const overMemory = (): Exceeded | undefined => (memory?.isOver() ? 'memory' : undefined);

  return {
    id,
    folder,
    pathOf: (path) => enclosure.pathOf?.(path) ?? path,
    spawn(argv, { env = {}, stdio = 'pipe' } = {}) {
      if (closing) throw new SandboxError('the cell is closed');
      const { env: variables, words } = innerProgram(id, folder, env, argv);
      const [program = '', ...args] = [...(memory?.enter ?? []), ...enclosure.enter(words)];
      // A session of its own: no terminal to write to, and one more mark to be found by.
      const child = spawn(program, args, {
        cwd: enclosure.startIn,
        env: variables,
        stdio,
        detached: true,
      });
      enclosure.started?.(child);
      return child;
    },
    async write(name, contents) {
      const path = join(outside, plainName(name));
      const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
      const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
      try {
        await writeFile(file, contents);
      } finally {
        await file.close();
      }
    },
    async read(name, mostBytes) {
      const path = join(outside, plainName(name));
      const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
        (error: unknown) => {
          // ELOOP: a link. ENXIO: a socket.
          if (['ENOENT', 'ELOOP', 'ENXIO', 'EACCES'].includes(String(codeOf(error)))) return undefined;
          throw error;
        },
      );
      if (file === undefined) return undefined;
      try {
        const found = await file.stat();
        // A second name may be that of a file which the script itself cannot read.
        if (!found.isFile() || found.nlink !== 1) return undefined;
        if (found.size > mostBytes)
          throw new SandboxError(`${name} is larger than ${mostBytes} bytes: ${found.size}`);
        const { buffer, bytesRead } = await file.read(Buffer.alloc(found.size), 0, found.size, 0);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
    async serve(name, server) {
      if (closing) throw new SandboxError('the cell is closed');
      const path = join(outside, plainName(name));
      await new Promise<void>((resolve, reject) => {
        server.once('error', (error) =>
          reject(new SandboxError(`cannot open a socket in a cell: ${error.message}`, error)),
        );
        server.listen(path, resolve);
      });
      servers.push(server);
      await chmod(path, 0o666);
    },
    exceeded: () => exceeded ?? overMemory(),
    async look() {
      if (closing) return;
      const over = overMemory() ?? exceededOf(await enclosure.usage());
      if (over === undefined || closing) return;
      exceeded = over;
      await close();
    },
    close,
  };

  function exceededOf(usage: Usage): Exceeded | undefined {
    if (usage.memoryBytes > limits.memoryBytes) return 'memory';
    if (usage.cpuSeconds > limits.cpuSeconds) return 'cpu';
    if (usage.diskBytes > limits.diskBytes) return 'disk';
    if (usage.threads > limits.processes) return 'processes';
    return undefined;
  }
}
