/** `sonde help environment`: every variable that sonde reads. */
import { type Block, heading, rows, text } from '../../blocks.ts';

/** Variables by what they are for. */
export const VARIABLES: Readonly<Record<string, readonly (readonly [name: string, meaning: string])[]>> = {
  'Service and key': [
    ['SONDE_API_KEY', 'The key. There is no option for it: others can see the options of a process'],
    ['SONDE_BASE_URL', 'Address of the service, as --base-url'],
    ['SONDE_ACCOUNT_ID', 'Account, as --account'],
    ['SONDE_PROFILE', 'Name of the profile, as --profile'],
  ],
  'The terminal': [
    ['NO_COLOR', 'Set to anything: no colour, as --no-color'],
    ['FORCE_COLOR, CLICOLOR_FORCE', 'Set to 1: colour in pipes, too'],
    ['CLICOLOR', 'Set to 0: no colour'],
    ['SONDE_ACCESSIBLE', 'Set to 1: nothing is drawn or redrawn, as --plain'],
    ['TERM', 'Where it is dumb: no colour, and nothing is drawn'],
    ['COLORTERM', 'Where it is truecolor: the terminal shows all colours'],
    ['CI', 'Set to anything: nobody is asked and nothing is drawn, as --no-input'],
    ['SONDE_NO_UPDATE_NOTIFIER, NO_UPDATE_NOTIFIER', 'Set to anything: no word of newer versions'],
    ['VISUAL, EDITOR', 'The editor, the first that is set'],
    ['SHELL', 'The shell to complete in, where "completion" is told none'],
    ['TMPDIR', 'Where a long list lies until it is whole'],
  ],
  'The network': [
    ['HTTPS_PROXY, HTTP_PROXY', 'The proxy for each kind of address'],
    ['NO_PROXY', 'Hosts that are reached without it, separated by commas'],
    ['NODE_EXTRA_CA_CERTS', 'A file with certificate authorities of your own (PEM)'],
  ],
  Files: [
    ['XDG_CONFIG_HOME', 'Folder of the profiles, instead of ~/.config'],
    ['XDG_STATE_HOME', 'Folder of what is kept for later, instead of ~/.local/state'],
    ['XDG_DATA_HOME', 'Folder of the service that runs on this machine, instead of ~/.local/share'],
    ['XDG_CACHE_HOME', 'Folder of what is only faster to know, instead of ~/.cache'],
  ],
  'Pipelines and the service on this machine': [
    [
      'GITHUB_ACTIONS',
      'Where it is true: a gate writes annotations, and no text of a check can command the runner',
    ],
    ['GITHUB_STEP_SUMMARY', 'The file that a gate appends its summary to'],
    ['SONDE_DATABASE_URL', 'Postgres for "service start", instead of SQLite'],
    ['SONDE_DATABASE_WAIT', 'How long "service start" waits for Postgres, as --database-wait'],
    ['SONDE_DATABASE_CONNECTIONS', 'Most connections to Postgres, as --database-connections'],
    ['SONDE_BROWSER', 'The browser that "service start" runs browser checks in, as --browser'],
    ['SONDE_DENY_PRIVATE_NETWORKS', 'Where it is 1: "service start" as with --deny-private-networks'],
    ['SONDE_ALLOW_PRIVATE_NETWORKS', 'Where it is 1: "service start" as with --allow-private-networks'],
    [
      'SONDE_TRUST_PROXY',
      'Reverse proxies in front of "service start", separated by commas, as --trust-proxy',
    ],
    ['PLAYWRIGHT_BROWSERS_PATH', 'Where Playwright has browsers of its own, if there is no other'],
    ['SONDE_RESOLVERS', 'Resolvers for "service start" where a check names none, separated by commas'],
  ],
  'The model of agentic checks': [
    [
      'SONDE_MODEL_URL',
      'OpenAI-compatible endpoint for "service start" and "agent start": http://127.0.0.1:11434/v1',
    ],
    ['SONDE_MODEL', 'Name of the model'],
    ['SONDE_MODEL_KEY', 'Sent to the endpoint as Authorization: Bearer. No check and no browser sees it'],
  ],
  'Where a test session comes from (else git says it)': [
    ['GITHUB_SERVER_URL', 'GitHub Actions: with GITHUB_REPOSITORY the repository'],
    ['GITHUB_REPOSITORY', 'Its owner and name'],
    ['GITHUB_SHA', 'The commit'],
    ['GITHUB_ACTOR', 'Who made it'],
    ['GITHUB_HEAD_REF', 'The branch of a pull request, before GITHUB_REF_NAME'],
    ['GITHUB_REF_NAME', 'The branch'],
    ['CI_PROJECT_URL', 'GitLab CI: the repository'],
    ['CI_COMMIT_SHA', 'The commit'],
    ['CI_COMMIT_AUTHOR', 'Who made it'],
    ['CI_COMMIT_MESSAGE', 'What it says'],
    ['CI_COMMIT_REF_NAME', 'The branch'],
  ],
  'The agent of a private location': [
    ['API_KEY', 'A key of the private location. There is no option for it; --api-key-file names a file'],
    ['JOB_CONCURRENCY', 'How many checks "agent start" runs at once, 1 to 10, as --concurrency'],
    ['LOG_LEVEL', 'What "agent start" logs: trace, debug, info, warn, error or silent, as --log-level'],
    ['AGENT_HEALTH_PORT', 'Port of its health probes (8081), as --health-port; also for "agent probe"'],
    ['USE_OS_DNS_RESOLVER', 'Where it is off: checks ask name servers by themselves, as --os-dns-resolver'],
    [
      'EXTERNAL_OBSERVABILITY',
      'Where it is off: nothing is reported to anybody, as --external-observability',
    ],
    [
      'SONDE_OBSERVABILITY_URL',
      'Where errors of the agent are reported, without anything of checks, targets or keys; nowhere unless set',
    ],
    ['SONDE_INSECURE', 'Where it is on: the key goes over plain http, too, as --insecure'],
  ],
  'What the service on this machine sends by': [
    ['SONDE_PUBLIC_URL', 'Where people reach the service, for links: https://monitoring.example.com'],
    ['SONDE_SMTP_URL', 'The mail server: smtp://user:password@host:587 (STARTTLS), or smtps://'],
    ['SONDE_MAIL_FROM', 'Who its mail is from: "Sonde <sonde@example.com>"'],
    ['SONDE_SMS_URL', 'The HTTP gateway that takes short messages: to, from and text'],
    ['SONDE_SMS_TOKEN', 'Sent to the gateway as Authorization: Bearer'],
    ['SONDE_SMS_FROM', 'The sender that the gateway is told'],
    ['SONDE_SMS_FORMAT', 'What the gateway takes: json (the default) or form'],
  ],
};

export const environment = (): readonly Block[] => [
  text(
    'An option on the line counts before a variable, a variable before a file. An empty variable counts as one that is not set.',
  ),
  ...Object.entries(VARIABLES).flatMap(([subject, variables]) => [heading(subject), rows(...variables)]),
];
