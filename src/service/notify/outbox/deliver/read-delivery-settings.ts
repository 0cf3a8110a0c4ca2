/** Reads the mail server and the SMS gateway from the environment, which keeps passwords out of process lists. */
import { UsageError } from '../../../../base/errors.ts';
import type { DeliverySettings } from './create-deliver.ts';
import { parseMailUrl } from './email.ts';
import type { SmsSettings } from './sms.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads SONDE_SMTP_URL and SONDE_MAIL_FROM; SONDE_SMS_URL, SONDE_SMS_TOKEN, SONDE_SMS_FROM and SONDE_SMS_FORMAT.
 * @throws UsageError with the name of the variable but never its value
 */
export function readDeliverySettings(env: Environment): DeliverySettings {
  const from = env.SONDE_MAIL_FROM || undefined;
  return {
    ...(env.SONDE_SMTP_URL ? { mail: parseMailUrl(env.SONDE_SMTP_URL, from) } : {}),
    ...(env.SONDE_SMS_URL ? { sms: readSmsSettings(env.SONDE_SMS_URL, env) } : {}),
  };
}

function readSmsSettings(url: string, env: Environment): SmsSettings {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UsageError('SONDE_SMS_URL must be a URL that starts with http:// or https://');
  }
  const format = env.SONDE_SMS_FORMAT || 'json';
  if (format !== 'json' && format !== 'form') {
    throw new UsageError(`SONDE_SMS_FORMAT must be json or form, not "${format}"`);
  }
  return { url, format, token: env.SONDE_SMS_TOKEN || undefined, from: env.SONDE_SMS_FROM || undefined };
}
