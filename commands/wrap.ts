/** `sonde wrap`: runs a job and reports it to a heartbeat check. */
import { EXIT } from '../src/base/exits.ts';
import { argumentList, defineCommand, flag, text } from '../src/cli/framework/index.ts';

export const command = defineCommand({
  name: 'wrap',
  summary: 'Run a job and report it to a heartbeat check',
  description:
    'Runs a command, and reports its start, its end, its exit code and the last 10 kB of its output to a heartbeat check. ' +
    'Its streams and signals pass through, and sonde exits with its exit code, even if the service cannot be reached. ' +
    'A machine with jobs needs only the ping URL of the check: set SONDE_HEARTBEAT_URL, because other users can see flags. ' +
    'A name or an ID needs an API key.',
  arguments: {
    command: argumentList('Command of the job, and its arguments', { placeholder: 'command' }),
  },
  options: {
    heartbeat: text('Name or ID of the check', { placeholder: 'name' }),
    url: text('Ping URL of the check', { placeholder: 'url', env: 'SONDE_HEARTBEAT_URL' }),
    omitOutput: flag("Do not send the job's output, and connect it to the terminal directly"),
  },
  examples: [
    {
      line: 'wrap --url https://sonde.example.com/ping/3c0a8b5e-6a1f-4a57-9d53-0c2f3f0c1f11 -- tar -cf /tmp/backup.tar .',
      does: 'Run a backup and report it',
    },
    {
      line: 'wrap --heartbeat Backup -- tar -cf /tmp/backup.tar .',
      does: 'Find the check by its name, with an API key',
    },
  ],
  exits: [
    [EXIT.done, 'the job succeeded'],
    [EXIT.usage, 'the arguments are invalid, and the job did not run (or the job exited with 2)'],
    [
      'other',
      'exit code of the job, such as 126 if it cannot be executed, 127 if it does not exist, 128 + n after signal n',
    ],
  ],
  // The job decides when it ends.
  stops: 'itself',
  async run(deps, { args, options }) {
    const { wrapJob } = await import('./wrap/shared/lazy/wrap-job.ts');
    await wrapJob(deps, args.command, options);
  },
});
