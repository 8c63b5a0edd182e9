import fc from 'fast-check'
import { test } from 'tap'
import { redact } from '../../../src/llm/redaction/redact.ts'

// Made up here from pieces, so that no scanner takes this file for a leak.
const MIXED = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'
const RANDOM_40 = 'wJa1rXUtn2FEMI/K7MDENG+bPxRfiCYzzkEq3Kx9'
const PEM_LINE = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKB'
const KEY = ['-----BEGIN RSA PRIVATE ', 'KEY-----'].join('')
const END = ['-----END RSA PRIVATE ', 'KEY-----'].join('')
const JWT = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'dozjgNryP4J3jVmNHl0w5N'].join('.')

const SECRETS: Array<[string, string, string]> = [
  ['AWS key id', `id = ${'AKIA'}IOSFODNN7EXAMPLE`, 'id = [redacted:aws-key]'],
  ['AWS secret', `aws_secret_access_key = ${RANDOM_40}`, 'aws_secret_access_key = [redacted:aws-secret]'],
  ['AWS secret in code', `"awsSecretKey": "${RANDOM_40}",`, '"awsSecretKey": "[redacted:aws-secret]",'],
  ['GitHub token', `x: ${'ghp_'}${MIXED}`, 'x: [redacted:github-token]'],
  ['GitHub fine-grained token', `${'github_pat_'}11ABCDEFG0${MIXED}_${MIXED}`, '[redacted:github-token]'],
  [
    'GitLab token',
    `git clone https://oauth2:${'glpat-'}aB3dE6gH9jK2mN5pQ8sT@host/x`,
    'git clone https://oauth2:[redacted:gitlab-token]@host/x',
  ],
  ['Slack token', `${'xoxb-'}123456789012-123456789012-${MIXED.slice(0, 24)}`, '[redacted:slack-token]'],
  [
    'Slack webhook',
    `url=${'https://hooks.slack'}.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX`,
    'url=[redacted:slack-webhook]',
  ],
  ['OpenAI key', `OPENAI=${'sk-'}proj-${MIXED}`, 'OPENAI=[redacted:api-key]'],
  ['Anthropic key', `${'sk-'}ant-api03-${MIXED}-${MIXED}AA`, '[redacted:api-key]'],
  ['OpenRouter key', `${'sk-'}or-v1-${'0a1b2c3d4e5f6789'.repeat(4)}`, '[redacted:api-key]'],
  ['Stripe key', `stripe(${'sk_'}live_${MIXED.slice(0, 24)})`, 'stripe([redacted:stripe-key])'],
  ['Google key', `key=${'AIza'}${MIXED.slice(0, 35)}`, 'key=[redacted:google-key]'],
  ['npm token', `//registry/:_authToken=${'npm_'}${MIXED}`, '//registry/:_authToken=[redacted:npm-token]'],
  ['JWT', `cookie: session=${JWT}; path=/`, 'cookie: session=[redacted:jwt]; path=/'],
  ['bearer header', `Authorization: Bearer ${MIXED}`, 'Authorization: Bearer [redacted:authorization]'],
  ['basic header', 'authorization: Basic dXNlcjpodW50ZXIyMg==', 'authorization: Basic [redacted:authorization]'],
  ['connection string', 'postgres://app:s3cr3t!@db:5432/shop', 'postgres://app:[redacted:password]@db:5432/shop'],
  ['connection string without a user', 'redis://:s3cr3t@cache:6379', 'redis://:[redacted:password]@cache:6379'],
  ['password in .env', 'DB_PASSWORD=hunter2', 'DB_PASSWORD=[redacted:password]'],
  [
    'password in a URL query',
    'jdbc:mysql://db/x?user=a&password=hunter2&ssl=1',
    'jdbc:mysql://db/x?user=a&password=[redacted:password]&ssl=1',
  ],
  ['password in JSON', '{"password": "correct-horse"}', '{"password": "[redacted:password]"}'],
  ['password in YAML', 'spring.datasource.password: Tr0ub4dor&3', 'spring.datasource.password: [redacted:password]&3'],
  ['password in code', "const dbPassword = 'swordfish'", "const dbPassword = '[redacted:password]'"],
  ['api key', `api_key: "${MIXED}"`, 'api_key: "[redacted:secret]"'],
  ['api key in .env', `STRIPE_API_KEY=${MIXED}`, 'STRIPE_API_KEY=[redacted:secret]'],
  ['client secret', `clientSecret => '${MIXED}'`, "clientSecret => '[redacted:secret]'"],
  ['hex secret', `secret: ${'0a1b2c3d4e5f6789'.repeat(2)}`, 'secret: [redacted:secret]'],
  [
    'private key',
    `${KEY}\n${PEM_LINE}\n${PEM_LINE}\nab12==\n${END}\nnext`,
    `${KEY}\n[redacted:private-key]\n[redacted:private-key]\n[redacted:private-key]\n${END}\nnext`,
  ],
  [
    'private key in one line',
    `"${KEY}\\n${PEM_LINE}\\n${PEM_LINE}\\n${END}\\n"`,
    `"${KEY}\\n[redacted:private-key]\\n[redacted:private-key]\\n${END}\\n"`,
  ],
  [
    'private key with headers',
    `${KEY}\nProc-Type: 4,ENCRYPTED\n\n${PEM_LINE}\n${END}`,
    `${KEY}\nProc-Type: 4,ENCRYPTED\n\n[redacted:private-key]\n${END}`,
  ],
  [
    'private key cut by a chunk',
    `${KEY}\n${PEM_LINE}\n${PEM_LINE}`,
    `${KEY}\n[redacted:private-key]\n[redacted:private-key]`,
  ],
  [
    'private key in joined strings',
    `'${KEY}\\n' +\n  '${PEM_LINE}\\n' +\n  '${END}'`,
    `'${KEY}\\n' +\n  '[redacted:private-key]\\n' +\n  '${END}'`,
  ],
  [
    'private key in a context with line numbers',
    `     9 | ${KEY}\n>>> 10 | ${PEM_LINE}\n    11 | ${PEM_LINE}\n    12 | ${END}`,
    `     9 | ${KEY}\n>>> 10 | [redacted:private-key]\n    11 | [redacted:private-key]\n    12 | ${END}`,
  ],
]

for (const [what, text, expected] of SECRETS) {
  test(`${what} goes, the rest of its line stays`, async t => {
    t.same(redact(text), { text: expected, count: 1 })
  })
}

const HARMLESS: Array<[string, string]> = [
  ['a commit hash', 'commit 4d30ed4c1f0b2a39e8d7c6b5a4938271605f4e3d'],
  ['a hash as a value', 'sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"'],
  ['a UUID', 'id: 550e8400-e29b-41d4-a716-446655440000'],
  [
    'an integrity sum',
    '"integrity": "sha512-Xk1Jw0fz3cYk2pJ8mQ7rT5vB9nD4gH6sL1aE3iO0uC2yW5xZ8qR7tP4mN6bV9kF1jG3hD5sA2wE4rT6yU8iO0p=="',
  ],
  ['an image in a data URL', `background: url(data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUgAA'.repeat(20)})`],
  ['a type', 'interface Login { password: string, token: string | null }'],
  ['a password field', '<input type="password" name="password" required>'],
  ['a call', 'password = get_2nd_password(user, vault)'],
  ['a lookup', "password = request.form['password1']; token = os.environ['API_TOKEN']"],
  ['a property', 'connect({ password: config.db.password1, secret: settings.secretValue12345678 })'],
  [
    'a template',
    `postgres://${'$'}{USER}:${'$'}{PASSWORD}@db/x password=${'$'}{DB_PASSWORD} "password": "{{password}}"`,
  ],
  ['an empty or masked value', 'password="" password="********" PASSWORD=<your-password>'],
  ['a label with spaces', '"password": "Enter your password2"'],
  ['a tokenizer', 'tokenizer: "cl100k_base", max_token: 16384, token_count = 1234567890123456789'],
  ['a slug', 'secret: "my-app-2024-signing-secret-name"'],
  ['a working directory', 'PWD=/srv/app2 "pwd": "/home/me" pwd: "./x1"'],
  ['the word password as a password', 'http://user:password@localhost/ amqp://user:pass@host'],
  ['a port', 'http://localhost:3000/@scope/package'],
  ['a css class', '<div class="sk-folding-cube sk-child-loading-indicator-animation">'],
  ['a code that looks for keys', `if (text.startsWith('${KEY}')) { return parseKey(text.replaceAll('\\n', '')) }`],
  ['a public key', `-----BEGIN PUBLIC KEY-----\n${PEM_LINE}\n-----END PUBLIC KEY-----`],
  ['a certificate', `-----BEGIN CERTIFICATE-----\n${PEM_LINE}\n-----END CERTIFICATE-----`],
  ['words about basic and bearer', 'Basic authentication and Bearer authentication-schemes-of-the-web'],
  ['a stack trace', 'File "/app/token/secret.py", line 42, in password\n    at auth (node:internal/token:12:34)'],
]

for (const [what, text] of HARMLESS) {
  test(`${what} stays`, async t => {
    t.same(redact(text), { text, count: 0 })
  })
}

test('every secret of a text is counted and redacting twice changes nothing more', async t => {
  const all = SECRETS.map(([, text]) => text).join('\n\n')
  const once = redact(all)
  t.equal(once.count, SECRETS.length)
  t.same(redact(once.text), { text: once.text, count: 0 })
})

test('any text keeps its number of lines', async t => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      ...SECRETS.map(([, text]) => text),
      ...HARMLESS.map(([, text]) => text),
      KEY,
      END,
      PEM_LINE,
      '\n',
      '12 | ',
      '"',
      '=',
      'password',
      'secret: ',
    ),
  )
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.array(piece), pieces => {
        const text = pieces.join('')
        return redact(text).text.split('\n').length === text.split('\n').length
      }),
    ),
  )
})

test('a password of four characters is one', async t => {
  const forms = [
    'password=w0rd',
    '"password": "w0rd"',
    "password = 'w0rd'",
    'DB_PASSWORD=w0rd',
    'postgres://app:w0rd@db:5432/shop',
    'mysql --password w0rd',
    'mysql --password=w0rd',
    'curl -u ann:w0rd https://example.com',
    'fetcher -u ann:w0rd https://example.com',
    'fetcher --user=ann:w0rd https://example.com',
    'machine example.com login ann password w0rd',
    '<password>w0rd</password>',
  ]
  for (const text of forms) {
    t.notMatch(redact(text).text, 'w0rd', text)
    t.match(redact(text).text, /\[redacted:/, text)
  }
})
