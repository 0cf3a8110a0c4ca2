/** Renders alerts as SMS messages. */
import { oneLine } from '../../../base/sanitize.ts';
import { formatAlertError, formatTitle } from '../facts/alert-facts.ts';
import { asString, type ChannelType, truncate, validateSetting } from './channel-type.ts';

const MAX_LENGTH = 300;

export const sms: ChannelType = {
  render(config, facts) {
    const title = formatTitle(facts);
    const error = oneLine(formatAlertError(facts, MAX_LENGTH - title.length));
    const text = [title, error].filter((part) => part !== '').join('. ');
    return { kind: 'sms', number: asString(config.number), text: truncate(text, MAX_LENGTH) };
  },
  validate: (config) =>
    validateSetting(
      config,
      'number',
      /^\+?[0-9][0-9 ()-]{3,24}$/,
      'must be a telephone number, such as +49 170 1234567',
    ),
};
