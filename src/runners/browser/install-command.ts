/** Formats the message that no browser is installed. */

export const INSTALL_COMMAND = 'sonde browser install';

/** Returns a sentence without a full stop. */
export const formatNoBrowser = (installCommand: string = INSTALL_COMMAND): string =>
  `no browser is installed; to install one, run: ${installCommand}`;
