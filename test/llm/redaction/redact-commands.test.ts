import { test } from 'tap'
import { redact } from '../../../src/llm/redaction/redact.ts'

const HIDDEN: Array<[text: string, expected: string]> = [
  ['mysql -uroot -pS3cretPw shop', 'mysql -uroot -p[redacted:password] shop'],
  ['mysqldump -h db -psesame shop > x.sql', 'mysqldump -h db -p[redacted:password] shop > x.sql'],
  ["mysql -u root -p'hun ter two' shop", "mysql -u root -p'[redacted:password]' shop"],
  ['/usr/bin/mysql \\\n  -u root \\\n  -psesame shop', '/usr/bin/mysql \\\n  -u root \\\n  -p[redacted:password] shop'],
  ["run(['mysql', '-uroot', '-psesame'])", "run(['mysql', '-uroot', '-p[redacted:password]'])"],
  ['sshpass -p sesame ssh x', 'sshpass -p [redacted:password] ssh x'],
  ['redis-cli -h cache -a sesame ping', 'redis-cli -h cache -a [redacted:password] ping'],
  ['mongosh -u admin -p sesame db', 'mongosh -u admin -p [redacted:password] db'],
  ['docker login -u me -p sesame ghcr.io', 'docker login -u me -p [redacted:password] ghcr.io'],
  ['ldapsearch -D cn=admin -w sesame -b dc=x', 'ldapsearch -D cn=admin -w [redacted:password] -b dc=x'],
  ['sqlcmd -S db -U sa -P sesame', 'sqlcmd -S db -U sa -P [redacted:password]'],
  ['curl -s -u admin:sesame https://x', 'curl -s -u admin:[redacted:password] https://x'],
  ['curl -uadmin:sesame https://x', 'curl -uadmin:[redacted:password] https://x'],
  ["curl --user 'admin:open sesame' https://x", "curl --user 'admin:[redacted:password]' https://x"],
  ['curl --proxy-user="a:sesame" https://x', 'curl --proxy-user="a:[redacted:password]" https://x'],
  [
    '$ curl -u admin:sesame x\n$ mysql -psesame',
    '$ curl -u admin:[redacted:password] x\n$ mysql -p[redacted:password]',
  ],
]

test(
  'passwords go from the arguments of programs that take them, the rest of the line stays, and twice ' +
    'changes nothing more',
  async t => {
    for (const [text, expected] of HIDDEN) {
      const { text: result, count } = redact(text)
      t.equal(result, expected)
      t.ok(count > 0)
      t.same(redact(result), { text: result, count: 0 })
    }
  },
)

const HARMLESS = [
  'mysql -u root -p',
  'mysql -p < dump.sql',
  'mysql -p$DB_PASSWORD shop',
  `mysql -p"${'$'}{PASSWORD}" shop`,
  'mysql -u root -p<password>',
  'docker run --name mysql -p3306:3306 mysql',
  'docker run mongo -p 127.0.0.1:27017:27017/tcp',
  'sshpass -p "$PW" ssh x',
  'redis-cli -a',
  'curl -u $USER:$TOKEN https://x',
  'curl -u user https://x',
  'curl -u user:pass https://x',
  'wget -p https://x',
  'mkdir -p some/folder',
  'cp -p a b',
  'the mysql client',
  'import mysql\n-password',
  'docker login -p -u me',
]

test('what only resembles such arguments stays', async t => {
  for (const text of HARMLESS) t.same(redact(text), { text, count: 0 })
})
