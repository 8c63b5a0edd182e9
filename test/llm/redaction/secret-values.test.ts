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
  check(t, looksRandom, ['q7Zk2LmX9vB4nR8t'], ['database-connection-pool', 'aaaaaaaaaaaaaaaa'])
  check(t, isRandomValue, ['q7Zk2LmX9vB4nR8tW1yE'], ['short1', 'application-settings-file'])
})

test('a quoted password is no variable, slot or star', async t => {
  check(
    t,
    isQuotedPassword,
    ['hunter2!x'],
    ['<password>', '$PASSWORD', '********', '{{password}}', '[redacted:password]'],
  )
  check(t, isPasswordInUrl, ['s3cret'], ['[:pass]'])
})

test('without quotes only what no name holds is a password', async t => {
  check(t, isBarePassword, ['hunter2!x'], ['password', 'config.password'])
  check(t, isExpression, ['config.password', 'getPassword'], [])
})

test('several words are a password unless they read as a label', async t => {
  check(t, isPasswordOrPhrase, ['correct horse battery staple'], ['Enter your password', 'The password is wrong'])
})

test('credentials and keys are found in base64', async t => {
  check(t, isBasicCredential, [base64('ada:hunter2')], [base64('no colon here')])
  check(t, isEncodedPrivateKey, [base64(`-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n`)], [base64('-----BEGIN')])
})
