import fc from 'fast-check'
import { test } from 'tap'
import { messageShape } from '../../../src/resolver/answer/message-shape.ts'

const SAME = [
  ['no user a@b.com', 'no user carol.x+y@mail.example.org.'.slice(0, -1)],
  ['user “x” is unknown', 'user “bob smith” is unknown'],
  ['user «x» is unknown', 'user «O’Brien» is unknown'],
  ['Benutzer „x“ fehlt', 'Benutzer „Jan Y“ fehlt'],
  ["no file: '/data/a 1.json'", "no file: '/srv/b.json'"],
  ['cannot open /data/a.json', 'cannot open C:\\tmp\\x\\b.json'],
  ['GET https://one.example/a?q=x&n=1 failed', 'GET http://two.example:8080/b?z=y failed'],
  ["Cannot find module '/app/dist/foo.js'", "Cannot find module '/srv/www/foo.js'"],
  ['order 500 is late', 'order 17 is late'],
  ['took 5s', 'took 500ms'],
  ['x -5', 'x 2.3e+10'],
  ['got [1, 2, 3]', 'got [4, 5]'],
  ['bad {"id": 5, "n": "x"}', 'bad {"id": 61, "n": "y z"}'],
  ['commit deadbeef1234567890abcdef1234567890abcdef', 'commit abcdabcdabcdabcdabcdabcdabcdabcdabcdabcd'],
] as const

const OTHER = [
  ["Cannot find module './foo'", "Cannot find module './bar'"],
  ["Cannot find module '@a/foo-x'", "Cannot find module '@a/bar-x'"],
  ["Cannot find module '/app/dist/foo.js'", "Cannot find module '/app/dist/bar.js'"],
  ["Cannot find package 'left' imported from /app/a.js", "Cannot find package 'right' imported from /app/a.js"],
  [
    "Module not found: Error: Can't resolve './a.css' in '/src'",
    "Module not found: Error: Can't resolve './b.css' in '/src'",
  ],
  ["No module named 'requests'", "No module named 'flask'"],
  ["No module named 'acme.v1'", "No module named 'acme.v2'"],
  ['cannot load such file -- acme/one', 'cannot load such file -- acme/two'],
  ['no required module provides package example.com/a/b', 'no required module provides package example.com/a/c'],
  ['Class "App\\Cart" not found', 'Class "App\\Till" not found'],
  ['Call to undefined function App\\total()', 'Call to undefined function App\\sum()'],
  ["'NoneType' object is not callable", "'int' object is not callable"],
  ['[Errno 2] failed', '[Errno 13] failed'],
  ['Request failed with status code 404', 'Request failed with status code 500'],
  ['status: 404', 'status: 500'],
  ['the server said 404', 'the server said 500'],
  ['HTTP/1.1 404 from upstream', 'HTTP/1.1 502 from upstream'],
  ['ERROR 1062 (23000): refused', 'ERROR 1452 (23000): refused'],
  ['SQLSTATE[42000]: refused', 'SQLSTATE[23000]: refused'],
  ['exited with 1', 'exited with 137'],
  ['Exception from HRESULT: 0x80131500', 'Exception from HRESULT: 0x80070005'],
] as const

test('values in a message do not change its shape', async t => {
  for (const [one, other] of SAME) t.equal(messageShape(one), messageShape(other), one)
})

test('names in the code, what could not be loaded and codes of errors do', async t => {
  for (const [one, other] of OTHER) t.not(messageShape(one), messageShape(other), one)
})

test('whatever a message holds, its shape is no longer than what is read, and a number in it is no part of it', async t => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.nat(), fc.nat(), (text, one, other) => {
      const words = text.replace(/[^a-z ]/g, '')
      return (
        messageShape(text).length <= Math.max(1, text.length) &&
        messageShape(`${words}; got ${one} of`) === messageShape(`${words}; got ${other} of`)
      )
    }),
  )
  t.equal(messageShape('z'.repeat(5_000)).length, 1_024)
})
