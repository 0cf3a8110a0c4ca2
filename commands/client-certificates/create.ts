/** `sonde client-certificates create`: stores the certificate and the private key that checks present to a host. */
import { UsageError } from '../../src/base/errors.ts';
import { type Deps, defineCommand, text } from '../../src/cli/framework/index.ts';
import { printResource } from '../../src/cli/resource-commands/read.ts';
import { clientCertificates } from '../../src/cli/resources/client-certificates.ts';
import { formatResource } from '../../src/cli/resources/resource.ts';
import { createClientCertificate } from '../../src/contract/index.ts';
import { askSecret } from '../../src/terminal/index.ts';

const PASSPHRASE_VARIABLE = 'SONDE_KEY_PASSPHRASE';

/** The options that name files, and the fields that the files fill. */
const FILES = { certificate: 'cert', key: 'key', ca: 'ca' } as const;

/** Returns the passphrase of an encrypted key, from the environment or a hidden prompt; undefined if it has none. */
async function readPassphrase({ env, terminal, signal }: Deps, key: string): Promise<string | undefined> {
  if (!key.includes('ENCRYPTED')) return undefined;
  const fromEnv = env[PASSPHRASE_VARIABLE];
  if (fromEnv) return fromEnv;
  const hint = `set ${PASSPHRASE_VARIABLE}`;
  if (!terminal.canAsk) throw new UsageError('the private key is encrypted', { hint });
  return askSecret(terminal, {
    message: 'Passphrase of the private key:',
    flag: PASSPHRASE_VARIABLE,
    signal,
    validate: (typed) => (typed === '' ? 'A passphrase is required' : undefined),
  });
}

export const command = defineCommand({
  name: 'client-certificates create',
  summary: 'Create a client certificate for a host',
  description:
    'API and URL checks present the certificate to the host if it asks for one (mutual TLS). A redirect to another host does ' +
    `not get it. The passphrase of an encrypted key comes from ${PASSPHRASE_VARIABLE} or a hidden prompt, because flags are ` +
    'visible in the process list. No response contains the key.',
  endpoint: createClientCertificate,
  options: {
    certificate: text('File with the client certificate (PEM)', { placeholder: 'file' }),
    key: text('File with the private key (PEM); - for stdin', { placeholder: 'file' }),
    ca: text('File with certificates that may sign the certificate of the host (PEM)', {
      placeholder: 'file',
    }),
  },
  flags: { without: ['cert', 'key', 'ca', 'passphrase'] },
  // The request contains the private key.
  dryRun: false,
  examples: [
    {
      line: 'client-certificates create --host api.example.com --certificate client.pem --key client.key',
      does: 'Present a certificate to one host',
    },
    {
      line: "client-certificates create --host '*.example.com' --certificate client.pem --key client.key --ca ca.pem",
      does: 'Present it to all names of a domain, whose certificates a private authority signs',
    },
  ],
  // The contract requires texts that are read only after validation.
  makeBody(fields, { options, reportProblem }) {
    for (const option of ['certificate', 'key'] as const)
      if (options[option] === undefined && fields[FILES[option]] === undefined)
        reportProblem({ place: `--${option}`, message: 'is required' });
    return { cert: '', key: '', ...fields };
  },
  async run(deps, { input, options, ...line }) {
    const { client, terminal, signal, readFile, readStdin } = deps;
    const body = { ...input.body };
    for (const [option, field] of Object.entries(FILES) as [keyof typeof FILES, 'cert' | 'key' | 'ca'][]) {
      const file = options[option];
      if (file !== undefined) body[field] = file === '-' ? await readStdin() : await readFile(file);
    }
    const passphrase = body.passphrase ?? (await readPassphrase(deps, body.key));
    const request = { body: { ...body, ...(passphrase === undefined ? {} : { passphrase }) } };
    const { body: created } = await (await client()).call(createClientCertificate, request, { signal });
    await terminal.note(`Created the ${formatResource(clientCertificates, created)}.`);
    await printResource(deps, line, clientCertificates, created);
  },
});
