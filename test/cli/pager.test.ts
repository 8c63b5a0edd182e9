import { PassThrough } from 'node:stream'
import { test } from 'tap'
import { showPaged } from '../../src/cli/pager.ts'

async function written(pager: string, text: string): Promise<string> {
  const stdout = new PassThrough()
  await showPaged(text, { pager, stdout })
  stdout.end()
  return (await stdout.toArray()).join('')
}

test('where the pager cannot be started, or only prints, the text is written as it is', async t => {
  for (const pager of ['no-such-program --raw', 'cat', ' ']) t.equal(await written(pager, 'a\nb\n'), 'a\nb\n', pager)
})

test('a pager gets the text, and its reader may leave before the end', async t => {
  t.equal(await written('true', 'x'.repeat(4_000_000)), '', 'nothing is written beside it')
  t.equal(await written(`${process.execPath} --version`, 'a\n'), '', 'arguments are passed on')
})
