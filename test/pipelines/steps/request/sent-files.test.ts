import fc from 'fast-check'
import { test } from 'tap'
import { FaultlineError } from '../../../../src/core/errors.ts'
import { safePath } from '../../../../src/core/safe-path.ts'
import { checkSentFiles } from '../../../../src/pipelines/steps/request/sent-files.ts'

test('paths come out in one spelling, contents as they were sent', t => {
  t.same(checkSentFiles({ './a//b.py': '\uFEFFx\r\ny', 'c\\d.txt': '', 'e/../f': '\n' }), {
    'a/b.py': '\uFEFFx\r\ny',
    'c/d.txt': '',
    f: '\n',
  })
  t.end()
})

test('what may not be written is refused with its name', t => {
  for (const bad of [
    '',
    '/etc/passwd',
    '../x',
    'a/../../x',
    '.git/config',
    'a/.GIT/hooks/x',
    'a\0b',
    'C:/x',
    '~/x',
    'a/',
    'a/..',
    'x'.repeat(2000),
  ]) {
    t.throws(() => checkSentFiles({ [bad]: '' }), { code: 'BAD_PATH' }, bad.slice(0, 40))
  }
  t.throws(() => checkSentFiles({ 'a.py': '', './a.py': '' }), { code: 'BAD_PATH', message: /twice/ })
  t.throws(() => checkSentFiles({ 'a/b': '', a: '' }), { code: 'BAD_PATH', message: /folder/ })
  t.throws(() => checkSentFiles({ 'a.py': 'x\uD800' }), { code: 'BAD_PATH', message: /UTF-8/ }, 'what no file can hold')
  t.end()
})

test('names that objects have of their own are names of files', t => {
  const sent = JSON.parse('{"__proto__": "1", "constructor": "2", "a/__proto__": "3"}') as Record<string, string>
  t.same(Object.entries(checkSentFiles(sent)).sort(), [
    ['__proto__', '1'],
    ['a/__proto__', '3'],
    ['constructor', '2'],
  ])
  t.end()
})

test('whatever is sent, it is refused with its reason or can be written', async () => {
  const segment = fc.constantFrom('a', 'b.py', '..', '.', '.git', '', 'ä ö', '__proto__', '~', 'c:')
  const path = fc.oneof(
    fc.array(segment, { minLength: 1, maxLength: 4 }).map(parts => parts.join('/')),
    fc.string({ unit: 'binary', maxLength: 12 }),
  )
  fc.assert(
    fc.property(fc.dictionary(path, fc.string(), { maxKeys: 6 }), sent => {
      try {
        const paths = Object.keys(checkSentFiles(sent))
        return (
          paths.length === Object.keys(sent).length &&
          paths.every(one => safePath(one) === one && !paths.some(other => other.startsWith(`${one}/`)))
        )
      } catch (error) {
        return error instanceof FaultlineError && error.code === 'BAD_PATH'
      }
    }),
  )
})

test('a file that no job could keep is refused at once', async t => {
  t.throws(() => checkSentFiles({ 'big.txt': 'x'.repeat(10 * 1024 * 1024 + 1) }), {
    code: 'PAYLOAD_TOO_LARGE',
    message: /big\.txt/,
  })
  t.doesNotThrow(() => checkSentFiles({ 'big.txt': 'x'.repeat(10 * 1024 * 1024) }))
})
