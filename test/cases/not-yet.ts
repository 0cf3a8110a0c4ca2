/** Cases with a wrong verdict, by file. Whoever mends one deletes its line. */
export const NOT_YET: Readonly<Record<string, readonly string[]>> = {
  'dns-names-and-text': [
    'PASS lower-case NS',
    'PASS 0x20 owner',
    'PASS IPv6 case',
    'PASS TXT bytes as \\DDD',
    'PASS dot in a label',
    'PASS TXT with quotes',
  ],
  'header-lines': [
    'PASS vary on two lines',
    'PASS cache-control on two lines',
    'PASS one of two cookies',
    'FAIL not equals',
  ],
  'negative-assertions': [
    'FAIL NS2.ns.test is delegated',
    'FAIL TXT says said "hi"',
    'FAIL error arrives after 2 s',
  ],
  'query-parameters': ['PASS %20', 'PASS flag', 'PASS sub-delims'],
  'redirect-cookies': ['PASS cookie wall', 'PASS sid', 'PASS SameSite cookie'],
  'redirect-host': ['PASS same virtual host'],
  'redirects-without-location': ['PASS 301', 'PASS 308', 'PASS 303 as URL'],
  'secret-headers': ['PASS second host gets no key'],
  'tcp-pauses': ['PASS postscreen', 'PASS irc'],
};
