/** What an agent logs, as JSON lines; its errors are reported besides, also where nothing is logged. */

import pino, { type Logger, type LoggerOptions } from 'pino';
import { errorForLog } from '../base/error-for-log.ts';
import type { Observer } from './observability.ts';
import type { LogLevel } from './settings.ts';

export interface AgentLogOptions {
  readonly level: LogLevel;
  readonly write: (line: string) => void;
  readonly pid: number;
  readonly observe: Observer;
}

const ERROR_LEVEL = 50;

export function createAgentLog({ level, write, pid, observe }: AgentLogOptions): Logger {
  // Of a level that is off nobody would be told.
  const isSilent = level === 'silent';
  return pino(
    {
      level: isSilent ? 'error' : level,
      base: { pid },
      serializers: { err: errorForLog },
      hooks: { logMethod: observed(observe) },
    },
    { write: isSilent ? () => {} : write },
  );
}

/** Errors that are logged are reported: by the words of the code and the error, never by other fields. */
function observed(observe: Observer): NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> {
  return function (given, write, level) {
    const [fields, words] = given as [unknown, unknown];
    if (level >= ERROR_LEVEL && typeof words === 'string')
      observe(words, (fields as { err?: unknown } | undefined)?.err);
    write.apply(this, given);
  };
}
