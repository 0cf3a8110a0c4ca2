/** The program that runs in a cell: a supervisor, or an executor where it is started as one. */
import { runExecutor } from './executor.ts';
import { supervise } from './supervisor.ts';

export function main(host: NodeJS.Process): void {
  const [, program = '', role] = host.argv;
  if (role === 'executor') runExecutor(host);
  else void supervise(host, program);
}
