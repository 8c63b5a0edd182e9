import { test, type Test } from 'tap'
import {
  isBarePassword,
  isBasicCredential,
  isEncodedPrivateKey,
  isExpression,
  isPasswordInUrl,
  isPasswordOrPhrase,
  isQuotedPassword,
  isRandomValue,
  looksRandom,
} from '../../../src/llm/redaction/secret-values.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

function check(t: Test, rule: (value: string) => boolean, yes: readonly string[], no: readonly string[]): void {
  for (const value of yes) t.equal(rule(value), true, `${rule.name}: ${value}`)
  for (const value of no) t.equal(rule(value), false, `${rule.name}: ${value}`)
}

test('chance mixes letters and digits otherwise than people do', async t => {
  check(
    t,
    looksRandom,
    ['q7Zk2LmX9vB4nR8t', 'abcdefg1', 'a1b2c3d4e'],
    ['database-connection-pool', 'aaaaaaaaaaaaaaaa', 'abcdef11', '12345678901', 'abcdefgh'],
  )
  check(
    t,
    isRandomValue,
    ['q7Zk2LmX9vB4nR8tW1yE', 'q7Zk2LmX9vB4nR8t', 'a1-b2-c3-d4-q7Zk2LmX'],
    [
      'short1',
      'application-settings-file',
      'q7Zk2LmX9vB4nR8',
      'https://q7Zk2LmX9vB4nR8t',
      `\${q7Zk2LmX9vB4nR8t}`,
      'q7Zk2LmX9 vB4nR8tW1yE',
      'q7Zk2LmX{vB4nR8tW1yE',
      'abcabcab12121212', // less than 3.2 bits a character
      'q7Zk2Lm-X9vB4nR-8tW1yEa',
      'v1.2.3-beta-release-4x',
    ],
  )
})

test('a quoted password is no variable, slot or star', async t => {
  check(
    t,
    isQuotedPassword,
    ['hunter2!x'],
    [
      '<password>',
      '$PASSWORD',
      '********',
      '**',
      'xxx',
      'XXXX',
      '...',
      '%s',
      '{{password}}',
      `my-\${PASSWORD}`,
      'my-{{password}}',
      'my-$(cat file)',
      '[redacted:password]',
      'two words',
      '/run/secret',
      './secret',
      '../secret',
      '^1.2.3',
      '~1.2',
      '1.2.3-beta.1',
      '--stdin',
      'required|min:8',
      'PassWord',
      'your-password',
    ],
  )
  check(t, isPasswordInUrl, ['s3cret'], ['[:pass]'])
})

test('without quotes only what no name holds is a password', async t => {
  check(
    t,
    isBarePassword,
    ['hunter2!x', 'hunter!', 'hunter2'],
    ['password', 'config.password', 'user1->password', 'a1::b', 'a1?.b', 'hunter', '123456', '!hunter2', 'hunter2:'],
  )
  check(
    t,
    isExpression,
    ['config.password', 'getPassword', 'a1b', 'password1and2', 'a'],
    ['a1b2c3', 'a1-b', '1a', 'abcdef1ab2c', '0123456789abcdef0123', 'deadbeefcafedeadbeef'],
  )
})

test('several words are a password unless they read as a label', async t => {
  check(
    t,
    isPasswordOrPhrase,
    ['correct horse battery staple', 'Correct horse 7', 'two words', 'a b c d e f g h i j k l'],
    [
      'Enter your password',
      'The password is wrong',
      'Correct horse battery',
      'a b c d e f g h i j k l m',
      'correct <horse> battery',
      'correct  horse',
      'correct horse (required)',
      'caf\u00e9 horse',
    ],
  )
})

test('credentials and keys are found in base64', async t => {
  check(
    t,
    isBasicCredential,
    [base64('ada:hunter2'), base64('a:b'), base64(`a:${'b'.repeat(198)}`)],
    [
      base64('no colon here'),
      base64('ada:'),
      base64(':hunter2'),
      base64(`a:${'b'.repeat(199)}`),
      base64('a:\u0007'),
      `${base64('ada:h')}A`.padEnd(9, 'A'),
    ],
  )
  check(t, isEncodedPrivateKey, [base64(`-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n`)], [base64('-----BEGIN')])
})
