import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { pack, type Header } from 'tar-stream'
import { test } from 'tap'
import { FaultlineError } from '../../../src/core/errors.ts'
import { readTar, type TarLimits } from '../../../src/repos/uploads/read-tar.ts'
import { runs } from '../../helpers/property-runs.ts'
import { testFolder } from '../../helpers/test-folder.ts'

type Entry = Partial<Header> & { name: string; content?: string }
const LIMITS = { maxEntries: 1_000, maxBytes: 1_048_576 }

async function tarOf(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack()
  for (const { content = '', ...header } of entries) tar.entry(header, content)
  tar.finalize()
  return await buffer(tar)
}

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Name, type and content of each entry. */
async function read(bytes: Buffer, { size = 777, ...limits }: Partial<TarLimits> & { size?: number } = {}) {
  const found: Array<{ name: string; type: string; isExecutable: boolean; target: string; content: string }> = []
  for await (const { name, type, isExecutable, target, body } of readTar(cut(bytes, size), { ...LIMITS, ...limits })) {
    found.push({ name, type, isExecutable, target, content: Buffer.concat(await Array.fromAsync(body())).toString() })
  }
  return found
}

/** Makes damaged headers look whole, so that what is behind the checksum is reached. */
function writeChecksums(bytes: Buffer): void {
  for (let at = 0; at + 512 <= bytes.length; at += 512) {
    const block = bytes.subarray(at, at + 512)
    if (block.toString('latin1', 257, 262) !== 'ustar') continue
    const sum = block.reduce((total, byte, offset) => total + (offset >= 148 && offset < 156 ? 32 : byte), 0)
    block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  }
}

test('entries of every kind of tar are read alike', async t => {
  const folder = testFolder(t)
  const long = `${'folder-'.repeat(20)}/${'name-'.repeat(30)}.py`
  for (const [name, content] of [
    ['a.py', 'a = 1'],
    [long, 'b'.repeat(2000)],
    ['ünï.py', ''],
  ] as const) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  for (const format of ['gnu', 'pax', 'oldgnu']) {
    const bytes = execFileSync('tar', ['-C', folder, `--format=${format}`, '-cf', '-', '.'])
    const files = (await read(bytes)).filter(({ type }) => type === 'file')
    t.strictSame(files.map(({ name, content }) => [name, content.length]).sort(), [
      ['a.py', 5],
      [long, 2000],
      ['ünï.py', 0],
    ])
  }
})

test('a body that is not read is passed over', async t => {
  const names: string[] = []
  const tar = await tarOf([
    { name: 'a', content: 'x'.repeat(5_000) },
    { name: './b//c' },
    { name: 'd/', type: 'directory' },
  ])
  for await (const { name } of readTar(cut(tar, 100), LIMITS)) names.push(name)
  t.strictSame(names, ['a', 'b/c', 'd'])
})

test('more than the limits allow is refused, and so is an attribute that would fill the memory', async t => {
  const tar = await tarOf([{ name: 'a', content: 'x'.repeat(5_000) }, { name: 'b' }])
  const tooLarge = { code: 'REPOSITORY_TOO_LARGE' }
  await t.rejects(read(tar, { maxEntries: 1 }), tooLarge)
  await t.rejects(read(tar, { maxBytes: 4_000 }), tooLarge)
  const huge = await tarOf([{ name: 'n'.repeat(300), pax: { comment: 'c'.repeat(100_000) } }])
  await t.rejects(read(huge), tooLarge)
})

test('what was packed is read, whatever the pieces that it comes in', async t => {
  const name = fc.stringMatching(/^[a-zé][a-z0-9é "]{0,120}(?:\/[a-zé][a-z0-9é]{0,120}){0,3}$/)
  const entry = fc.record({ name, content: fc.string(), mode: fc.constantFrom(0o644, 0o755) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 2_000 }),
      async (entries, size) => {
        t.strictSame(
          (await read(await tarOf(entries), { size })).map(({ name: path, isExecutable, content }) => [
            path,
            isExecutable,
            content,
          ]),
          entries.map(({ name: path, mode, content }) => [path, mode === 0o755, Buffer.from(content).toString()]),
        )
      },
    ),
    { numRuns: runs(200) },
  )
})

test('damaged bytes end in an error of ours or are read, and no name ever leads out', async t => {
  const tar = await tarOf([
    { name: `${'a/'.repeat(60)}b`, content: 'text' },
    { name: 'c', type: 'symlink', linkname: 'd' },
    { name: 'e'.repeat(150), content: 'x'.repeat(600) },
  ])
  const change = fc.tuple(fc.integer({ min: 0, max: tar.length - 1 }), fc.integer({ min: 0, max: 255 }))
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 8 }), fc.boolean(), async (changes, isSummed) => {
      const bytes = Buffer.from(tar)
      for (const [at, byte] of changes) bytes[at] = byte
      if (isSummed) writeChecksums(bytes)
      try {
        for (const { name } of await read(bytes)) t.notMatch(name, /^\/|(?:^|\/)\.\.(?:\/|$)/)
      } catch (error) {
        t.ok(error instanceof FaultlineError, String(error))
      }
    }),
    { numRuns: runs(1_000) },
  )
})
