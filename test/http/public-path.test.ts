import { test } from 'tap'
import { pathPrefixOf, withoutPrefix } from '../../src/http/public-path.ts'

test('the prefix is the path of the public URL, without a slash at its end', async t => {
  t.equal(pathPrefixOf(null), '')
  t.equal(pathPrefixOf('https://faultline.example.com'), '')
  t.equal(pathPrefixOf('https://tools.example.com/faultline'), '/faultline')
  t.equal(pathPrefixOf('https://tools.example.com/a/b/'), '/a/b')
})

test('the prefix is taken away as whole segments, and paths without it stay as they are', async t => {
  for (const [url, path] of [
    ['/faultline/jobs/1?wait=5', '/jobs/1?wait=5'],
    ['/faultline', '/'],
    ['/faultline?x=1', '/?x=1'],
    ['/faultline/', '/'],
    ['/faultlines/jobs', '/faultlines/jobs'],
    ['/jobs/1', '/jobs/1'],
    ['/jobs/faultline/x', '/jobs/faultline/x'],
    ['*', '*'],
  ] as const) {
    t.equal(withoutPrefix(url, '/faultline'), path)
    t.equal(withoutPrefix(url, ''), url)
  }
})
