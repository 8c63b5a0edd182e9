import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { test, type Test } from 'tap'
import { blobOf, BlobStore } from '../../src/object-store/blobs/blob-store.ts'
import { openFolderStore } from '../../src/object-store/folder-store.ts'
import { testFolder } from '../helpers/test-folder.ts'

const never = new AbortController().signal
const TEXT = Buffer.from('the same line\n'.repeat(20_000))

function folders(t: Test) {
  const top = testFolder(t)
  const root = join(top, 'objects')
  const objects = openFolderStore(root)
  return { blobs: new BlobStore(objects), objects, stored: (sha256: string) => join(root, 'blobs', sha256), top }
}

test('a blob lies compressed below its checksum, once', async t => {
  const { blobs, objects, stored } = folders(t)
  const ref = await blobs.putBytes(TEXT, never)
  t.same(ref, blobOf(TEXT))
  t.equal(ref.bytes, TEXT.length)
  const file = readFileSync(stored(ref.sha256))
  t.ok(file.length < 1_000, `${file.length} bytes`)
  t.ok(zstdDecompressSync(file).equals(TEXT))
  t.ok((await blobs.read(ref, never)).equals(TEXT))
  const before = await objects.head(`blobs/${ref.sha256}`, never)
  await blobs.putBytes(TEXT, never)
  t.same(await objects.head(`blobs/${ref.sha256}`, never), before, 'what is there is not put again')
})

test('a file is put as the blob that it should be, or not at all', async t => {
  const { blobs, top } = folders(t)
  const path = join(top, 'large')
  const content = randomBytes(3_000_000)
  writeFileSync(path, content)
  const ref = blobOf(content)
  t.equal(await blobs.putFile(ref, path, never), true)
  t.equal(await blobs.putFile(ref, path, never), false)
  t.ok((await blobs.read(ref, never)).equals(content))
  const other = blobOf(Buffer.from('something else'))
  await t.rejects(blobs.putFile(other, path, never), /changed before it was put/)
  await t.rejects(blobs.putFile({ ...other, bytes: content.length }, path, never), /changed before it was put/)
  await t.rejects(blobs.putFile(other, join(top, 'nothing'), never), { code: 'ENOENT' })
  t.equal(await blobs.has(other, never), false)
})

test('blobs of every size are read whole, in one call or as a stream', async t => {
  const { blobs } = folders(t)
  for (const bytes of [1, 63, 64, 65, 65_535, 65_536, 65_537, 3_000_000]) {
    const content = randomBytes(bytes)
    const ref = await blobs.putBytes(content, never)
    t.ok((await blobs.read(ref, never)).equals(content), `${bytes} bytes`)
    const pieces = []
    for await (const piece of blobs.get(ref, never)) pieces.push(piece)
    t.ok(Buffer.concat(pieces).equals(content))
  }
})

test('a large blob with other bytes is refused', async t => {
  const { blobs, stored } = folders(t)
  const ref = await blobs.putBytes(randomBytes(200_000), never)
  writeFileSync(stored(ref.sha256), zstdCompressSync(randomBytes(200_000)))
  await t.rejects(blobs.read(ref, never), /other bytes/)
  writeFileSync(stored(ref.sha256), zstdCompressSync(randomBytes(200_001)))
  await t.rejects(blobs.read(ref, never), /other bytes/)
  writeFileSync(stored(ref.sha256), randomBytes(1_000_000))
  await t.rejects(blobs.read(ref, never), /other bytes/, 'far more than packing can add')
})

test('an empty content is a blob like any other', async t => {
  const { blobs } = folders(t)
  const ref = await blobs.putBytes(Buffer.of(), never)
  t.equal((await blobs.read(ref, never)).length, 0)
})

test('whatever is wrong with stored bytes, they are refused', async t => {
  const { blobs, stored } = folders(t)
  const ref = await blobs.putBytes(TEXT, never)
  const whole = readFileSync(stored(ref.sha256))
  const flipped = (at: number) => whole.map((byte, i) => (i === at ? byte ^ 4 : byte))
  const damages: Array<[string, Uint8Array]> = [
    ['cut off', whole.subarray(0, whole.length - 1)],
    ['cut off in the middle', whole.subarray(0, whole.length / 2)],
    ['nothing', Buffer.of()],
    ['not compressed', TEXT],
    ['a page of a proxy', Buffer.from('<html>Sign in</html>')],
    ['another content', zstdCompressSync(Buffer.from('something else'))],
    ['another content of the same size', zstdCompressSync(Buffer.alloc(TEXT.length, 'x'))],
    ['more than there should be', zstdCompressSync(Buffer.concat([TEXT, TEXT]))],
    ['a bit in the header', flipped(2)],
    ['a bit in the middle', flipped(whole.length >> 1)],
    ['a bit at the end', flipped(whole.length - 1)],
  ]
  for (const [what, bytes] of damages) {
    writeFileSync(stored(ref.sha256), bytes)
    await t.rejects(blobs.read(ref, never), { code: 'OBJECT_STORE_UNAVAILABLE', message: /other bytes/ }, what)
  }
  await blobs.delete(ref, never)
  await t.rejects(blobs.read(ref, never), { message: /has no blob/ })
})

test('what unpacks to far more than it should is given up early', async t => {
  const { blobs, stored } = folders(t)
  const ref = await blobs.putBytes(TEXT, never)
  writeFileSync(stored(ref.sha256), zstdCompressSync(Buffer.alloc(200_000_000)))
  let bytes = 0
  await t.rejects(async () => {
    for await (const piece of blobs.get(ref, never)) bytes += piece.length
  }, /other bytes/)
  t.ok(bytes <= ref.bytes, `${bytes} bytes were given`)
})

test('a listing has the blobs alone', async t => {
  const { blobs, objects, top } = folders(t)
  const refs = await Promise.all(['a', 'b', 'c'].map(text => blobs.putBytes(Buffer.from(text), never)))
  await objects.put('blobs/not-a-digest', Buffer.from('x'), never)
  await objects.put('other/thing', Buffer.from('x'), never)
  const found = []
  for await (const page of blobs.list(never)) found.push(...page)
  t.same(found.map(({ sha256 }) => sha256).sort(), refs.map(({ sha256 }) => sha256).sort())
  t.equal(readdirSync(join(top, 'objects/blobs')).length, 4)
})
