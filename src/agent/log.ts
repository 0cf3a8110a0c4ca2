/** Creates the agent's log (JSON lines), which also reports errors, even if logging is off. */

import pino, { type Logger, type LoggerOptions } from 'pino';
import { serializeError } from '../base/serialize-error.ts';
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
  // pino does not call hooks of a disabled level, so silent mode logs errors to nowhere.
  const isSilent = level === 'silent';
  return pino(
    {
      level: isSilent ? 'error' : level,
      base: { pid },
      serializers: { err: serializeError },
      hooks: { logMethod: createLogHook(observe) },
    },
    { write: isSilent ? () => {} : write },
  );
}

/** Reports logged errors with their constant message and the error only, never with other fields. */
function createLogHook(observe: Observer): NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> {
  return function (args, write, level) {
    const [fields, message] = args as [unknown, unknown];
    if (level >= ERROR_LEVEL && typeof message === 'string')
      observe(message, (fields as { err?: unknown } | undefined)?.err);
    write.apply(this, args);
  };
}
