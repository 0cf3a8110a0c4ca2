/** Starts the program in a cell as a supervisor, or as an executor if its argument says so. */
import { runExecutor } from './executor.ts';
import { supervise } from './supervisor.ts';

export function main(host: NodeJS.Process): void {
  const [, program = '', role] = host.argv;
  if (role === 'executor') runExecutor(host);
  else void supervise(host, program);
}
