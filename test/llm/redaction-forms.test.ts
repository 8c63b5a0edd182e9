import { test } from 'tap'
import { redact } from '../../src/llm/redaction/redact.ts'

// Made up here from pieces, so that no scanner takes this file for a leak.
const MIXED = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'
const HEX_8 = '0a1b2c3d'

const TOKENS: Array<[kind: string, token: string]> = [
  ['api-key', `${'gsk_'}${MIXED}${MIXED.slice(0, 16)}`],
  ['api-key', `${'xai-'}${MIXED}${MIXED}`],
  ['vault-token', `${'hvs.'}${MIXED}${MIXED}`],
  ['doppler-token', `${'dp.pt.'}${MIXED}abcdefg`],
  ['linear-key', `${'lin_api_'}${MIXED}abcd`],
  ['notion-token', `${'ntn_'}${MIXED}aB3dE6gH9`],
  ['shopify-token', `${'shpat_'}${HEX_8.repeat(4)}`],
  ['twilio-key', `${'SK'}${HEX_8.repeat(4)}`],
  ['mailgun-key', `${'key-'}${HEX_8.repeat(4)}`],
  ['mailchimp-key', `${HEX_8.repeat(4)}${'-us12'}`],
  ['discord-webhook', `${'https://discord'}.com/api/webhooks/123456789012345678/${MIXED}${MIXED.slice(0, 32)}`],
  ['google-secret', `${'GOCSPX-'}${MIXED.slice(0, 28)}`],
  ['atlassian-token', `${'ATATT3'}xFfGF0${MIXED}${MIXED}`],
  ['grafana-token', `${'glsa_'}${MIXED.slice(0, 32)}_${HEX_8}`],
  ['databricks-token', `${'dapi'}${HEX_8.repeat(4)}`],
  ['pulumi-token', `${'pul-'}${HEX_8.repeat(5)}`],
  ['supabase-token', `${'sbp_'}${HEX_8.repeat(5)}`],
  ['planetscale-token', `${'pscale_tkn_'}${MIXED}`],
  ['rubygems-key', `${'rubygems_'}${HEX_8.repeat(6)}`],
  ['square-token', `${'sq0csp-'}${MIXED}`],
  ['terraform-token', `${MIXED.slice(0, 14)}${'.atlasv1.'}${MIXED}${MIXED.slice(0, 30)}`],
  ['aws-session', `${'IQoJb3JpZ2lu'}${MIXED.repeat(4)}`],
  ['azure-secret', `${'abc8Q~'}${MIXED.slice(0, 34)}`],
  ['google-key', `${'1//0'}${MIXED}${MIXED}`],
  ['docker-token', `${'dckr_pat_'}${MIXED.slice(0, 27)}`],
  ['sentry-token', `${'sntrys_'}${MIXED}${MIXED}`],
  ['alibaba-key', `${'LTAI'}5t${MIXED.slice(0, 20)}`],
  ['bitbucket-token', `${'ATBB'}${MIXED.slice(0, 32)}`],
  ['slack-token', `${'xoxc-'}1-2-3-${MIXED}`],
  ['jwt', ['eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4Q0JDLUhTMjU2In0', '', MIXED, MIXED, MIXED].join('.')],
  ['private-key', `${Buffer.from(`${'-----BEGIN RSA PRIVATE '}KEY-----\n${MIXED}${MIXED}`).toString('base64')}`],
  ['age-key', `${'AGE-SECRET-KEY-1'}${'QQPQYQSZQG'.repeat(6).slice(0, 58)}`],
]

for (const [kind, token] of TOKENS) {
  test(`${kind}: the token goes wherever it stands, and a longer word or a shorter one stays`, async t => {
    for (const [before, after] of [
      ['', ''],
      ['x = "', '"'],
      ['curl ', ' -v'],
      ['(', ')\n'],
    ]) {
      t.same(redact(`${before}${token}${after}`), { text: `${before}[redacted:${kind}]${after}`, count: 1 })
    }
    for (const harmless of [token.slice(0, 8), `${token.slice(0, 8)} is a prefix`]) {
      t.same(redact(harmless), { text: harmless, count: 0 })
    }
  })
}

const IN_PLACE: Array<[what: string, text: string, expected: string]> = [
  [
    'a password with @ in a URL',
    'postgres://app:p@ss:w0rd@db:5432/shop',
    'postgres://app:[redacted:password]@db:5432/shop',
  ],
  [
    'a password with a slash in a database URL',
    'amqp://app:pa/ss1@mq:5672/',
    'amqp://app:[redacted:password]@mq:5672/',
  ],
  [
    'an ADO connection string',
    'Server=db;User ID=sa;Password=Sup3r$ecret!;Encrypt=True',
    'Server=db;User ID=sa;Password=[redacted:password];Encrypt=True',
  ],
  ['an ODBC connection string', 'Driver={x};Uid=u;Pwd={s3cret;x};', 'Driver={x};Uid=u;Pwd={[redacted:password]};'],
  [
    'an Oracle connection string',
    'jdbc:oracle:thin:scott/tiger1@//host:1521/x',
    'jdbc:oracle:thin:scott/[redacted:password]@//host:1521/x',
  ],
  [
    'an account key',
    `AccountName=shop;AccountKey=${MIXED}${MIXED}==;EndpointSuffix=x`,
    'AccountName=shop;AccountKey=[redacted:secret];EndpointSuffix=x',
  ],
  [
    'a signed URL',
    `https://x/c?sv=2020-08-04&sig=${MIXED}%3D&se=2026`,
    'https://x/c?sv=2020-08-04&sig=[redacted:signature]&se=2026',
  ],
  [
    '.netrc',
    'machine github.com\n  login me\n  password hunter22x\n',
    'machine github.com\n  login me\n  password [redacted:password]\n',
  ],
  ['curl', 'curl -s -u admin:hunter2x https://x', 'curl -s -u admin:[redacted:password] https://x'],
  ['another kind of Authorization', `Authorization: token ${MIXED}`, 'Authorization: token [redacted:authorization]'],
  ['a session cookie', `Set-Cookie: PHPSESSID=${MIXED}; HttpOnly`, 'Set-Cookie: PHPSESSID=[redacted:secret]; HttpOnly'],
  ['a Django key', `SECRET_KEY = 'django-insecure-${MIXED}#$&'`, "SECRET_KEY = '[redacted:secret]'"],
  ['a Rails key', `secret_key_base: ${'0a1b2c3d4e5f6789'.repeat(8)}`, 'secret_key_base: [redacted:secret]'],
  [
    'the private part of a JWK',
    `{"kty": "RSA", "d": "${MIXED}${MIXED}", "e": "AQAB"}`,
    '{"kty": "RSA", "d": "[redacted:private-key]", "e": "AQAB"}',
  ],
  ['a passphrase of words', 'password = "correct horse battery staple"', 'password = "[redacted:password]"'],
  ['a passphrase in a shell', "DB_PASSWORD='my secret phrase 9'", "DB_PASSWORD='[redacted:password]'"],
  [
    'a password of letters in a .env file',
    '# db\nDB_PASSWORD=swordfish\nDB_HOST=db\n',
    '# db\nDB_PASSWORD=[redacted:password]\nDB_HOST=db\n',
  ],
  [
    'a password of letters in a compose file',
    '  environment:\n    MYSQL_ROOT_PASSWORD: swordfish\n    - DB_PASS=swordfish',
    '  environment:\n    MYSQL_ROOT_PASSWORD: [redacted:password]\n    - DB_PASS=[redacted:password]',
  ],
  ['a password in a Dockerfile', 'ENV DB_PASSWORD swordfish\nENV X y', 'ENV DB_PASSWORD [redacted:password]\nENV X y'],
  [
    'a secret of letters in a .env file',
    'JWT_SECRET=mysupersecretjwtkey\nSECRET_KEY="my own words"',
    'JWT_SECRET=[redacted:secret]\nSECRET_KEY="[redacted:secret]"',
  ],
  ['a Laravel key', `APP_KEY=base64:${MIXED}aB3dE6g=`, 'APP_KEY=[redacted:secret]'],
  ['a token of hex', 'access_token=abcdef0123456789abcdef', 'access_token=[redacted:secret]'],
  ['a database address', 'DATABASE_URL=postgres://app:pw@h/db', 'DATABASE_URL=postgres://app:[redacted:password]@h/db'],
  ['a short password in an address', 'postgres://u:p@h/db', 'postgres://u:[redacted:password]@h/db'],
  [
    'a token as the user of an address',
    `git clone https://${MIXED}@github.com/x.git`,
    'git clone https://[redacted:token]@github.com/x.git',
  ],
  [
    'Basic authorization of letters',
    'Authorization: Basic dXNlcjpwYXNz',
    'Authorization: Basic [redacted:authorization]',
  ],
  [
    'the configuration of Docker',
    '{"auths": {"ghcr.io": {"auth": "dTpw"}}}',
    '{"auths": {"ghcr.io": {"auth": "[redacted:authorization]"}}}',
  ],
  [
    'a token of .npmrc',
    '//registry.npmjs.org/:_authToken=abcdefgh\nregistry=https://x',
    '//registry.npmjs.org/:_authToken=[redacted:npm-token]\nregistry=https://x',
  ],
  ['a password of .npmrc', '//x/:_password="aHVudGVy"', '//x/:_password="[redacted:npm-token]"'],
  ['an old .npmrc', '_auth=dXNlcjpodW50ZXIyMg==', '_auth=[redacted:npm-token]'],
  [
    'a kubeconfig',
    `    client-key-data: ${Buffer.from(`${'-----BEGIN EC PRIVATE '}KEY-----\n${MIXED}${MIXED}`).toString('base64')}\n`,
    '    client-key-data: [redacted:private-key]\n',
  ],
  [
    'the answer of STS',
    '"SecretAccessKey": "wJa1rXUtn2FEMI/K7MDENG+bPxRfiCYzzkEq3Kx9"',
    '"SecretAccessKey": "[redacted:aws-secret]"',
  ],
  [
    'a setting of .NET',
    '<add key="Smtp.Password" value="swordfish"/>',
    '<add key="Smtp.Password" value="[redacted:password]"/>',
  ],
  ['settings.xml', '<password>swordfish</password>', '<password>[redacted:password]</password>'],
  ['an XML key', `<D>${MIXED}${MIXED}</D>`, '<D>[redacted:private-key]</D>'],
  [
    'SQL',
    "CREATE USER x IDENTIFIED BY 'sword fish'; ALTER ROLE y WITH PASSWORD 'swordfish'",
    "CREATE USER x IDENTIFIED BY '[redacted:password]'; ALTER ROLE y WITH PASSWORD '[redacted:password]'",
  ],
  [
    'options',
    `x --password hunter2x --api-token ${MIXED}`,
    'x --password [redacted:password] --api-token [redacted:secret]',
  ],
  [
    'a comparison with a password',
    "if (password === 'hunter22') return",
    "if (password === '[redacted:password]') return",
  ],
  [
    'a quoted key',
    `> ${'-----BEGIN PRIVATE '}KEY-----\n> ${MIXED}${MIXED}\n> ${MIXED}\n> ${'-----END PRIVATE '}KEY-----`,
    `> ${'-----BEGIN PRIVATE '}KEY-----\n> [redacted:private-key]\n> [redacted:private-key]\n` +
      `> ${'-----END PRIVATE '}KEY-----`,
  ],
  [
    'a key in a comment',
    `// ${'-----BEGIN PRIVATE '}KEY-----\n// ${MIXED}${MIXED}\nx = 1`,
    `// ${'-----BEGIN PRIVATE '}KEY-----\n// [redacted:private-key]\nx = 1`,
  ],
  [
    'a key in JSON in JSON',
    `"${'-----BEGIN PRIVATE '}KEY-----\\\\n${MIXED}${MIXED}\\\\n-----END"`,
    `"${'-----BEGIN PRIVATE '}KEY-----\\\\n[redacted:private-key]\\\\n-----END"`,
  ],
  [
    'an SSH2 key',
    `${'---- BEGIN SSH2 ENCRYPTED PRIVATE '}KEY ----\nComment: "x"\n${MIXED}${MIXED}\nab12==\n---- END SSH2`,
    `${'---- BEGIN SSH2 ENCRYPTED PRIVATE '}KEY ----\nComment: "x"\n[redacted:private-key]\n` +
      '[redacted:private-key]\n---- END SSH2',
  ],
  [
    'a PuTTY key',
    `Private-Lines: 2\n${MIXED}${MIXED}\n${MIXED}${MIXED}\nPrivate-MAC: x`,
    'Private-Lines: 2\n[redacted:private-key]\n[redacted:private-key]\nPrivate-MAC: x',
  ],
]

for (const [what, text, expected] of IN_PLACE) {
  test(`${what}: the secret goes, the rest stays, and twice changes nothing more`, async t => {
    const { text: result } = redact(text)
    t.equal(result, expected)
    t.same(redact(result), { text: result, count: 0 })
  })
}

const HARMLESS = [
  "if (self.update_password == 'always' && password !== 'none') {",
  'vault_password: !vault |',
  'http://[user[:pass]]@host.domain/path',
  '"pbkdf2-password": "1.2.1", "parse-passwd": "^1.0.0"',
  "'password' => 'required|string|min:8'",
  "['password' => '--password='.$value]",
  '"Accounts.setPassword": "accounts.html#set"',
  '#loginWithPassword: "guide.html"',
  '"password": "Mot de passe", "passphrase": "Enter a passphrase", password: "at least eight letters", ' +
    'password_error: "x y"',
  "the primary interface, identified by 'eth0'",
  'password = input()',
  'password = getpass.getpass("Password: ")',
  'def test_password_is_hashed(self):',
  'PASSWORD = input',
  'PASSWORD=$(cat file)',
  `SECRET_KEY=${'$'}{SECRET}`,
  'PASSWORD: string',
  'const PASSWORD = readPassword()',
  'PASSWORD=',
  'Basic authentication',
  'basic block',
  '"auth": "none"',
  'auth = "basic"',
  `<password>${'$'}{env.PASSWORD}</password>`,
  '<D>short</D>',
  '_auth = useAuth()',
  'x --password prompt --token-file x',
  'oauth.token(access_token=access_token_value1)',
  `certificate-authority-data: ${Buffer.from(
    '-----BEGIN CERTIFICATE-----\n' + 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKB',
  ).toString('base64')}`,
  'https://example.com:8080/a@b',
  'redis://localhost:6379/0',
  'session = requests.Session(); session_id = new_session_id(user)',
  'f"pwd={user_pwd}"',
  'docker run -u 1000:1000 image',
  'git log --user name',
  'login form password field',
  '{"d": "M150 0 L75 200 L225 200 Z M10 10 H 90 V 90 H 10 L 10 10"}',
  '?sig=none&x=1',
  'Authorization: Basic',
  'key-value-store-with-a-long-name-0123456789',
  'SKU0a1b2c3d',
  'secret_santa_party_2024',
]

test('what only resembles these stays', async t => {
  for (const text of HARMLESS) t.same(redact(text), { text, count: 0 })
})

/** Places of passwords: four characters are one, three are not. */
const SHORT: Array<(password: string) => string> = [
  password => `password=${password}`,
  password => `user=ann password=${password} host=db`,
  password => `GET /login?user=ann&password=${password}&next=x`,
  password => `Server=db;Pwd=${password};Encrypt=True`,
  password => `DB_PASSWORD=${password}`,
  password => `DB_PASS=${password}`,
  password => `DB_PASS='${password}'`,
  password => `password = "${password}"`,
  password => `{"password": "${password}"}`,
  password => `password == '${password}1'`,
]

test('a password of four characters goes, one of three stays', async t => {
  for (const line of SHORT) {
    t.match(redact(line('xqzb')).text, '[redacted:', line('xqzb'))
    t.notMatch(redact(line('xqzb')).text, 'xqzb')
  }
  for (const line of SHORT.slice(0, -1)) t.same(redact(line('xqz')), { text: line('xqz'), count: 0 })
})

test('an argument, a variable and a property of that name are no passwords', async t => {
  for (const text of [
    'connect(user=name, password=secret_word)',
    'connect(\n    user=name,\n    password=word\n)',
    'const password=word',
    'let pwd=next',
    'login password=config.password',
    'password=$PASSWORD',
    '?user=a&password={password}',
    'password=<password>',
    'password=',
    'if password==word',
  ]) {
    t.same(redact(text), { text, count: 0 })
  }
})
