/** The one sentence that says that there is no browser, and how to get one. */

export const INSTALL_COMMAND = 'sonde browser install';

/** A sentence without a full stop. */
export const formatNoBrowser = (installCommand: string = INSTALL_COMMAND): string =>
  `no browser is installed; to install one, run: ${installCommand}`;
