import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { isMissing } from '../../../src/vecstore/format/layout.ts'
import { piecesOf } from '../../../src/vecstore/transport/description.ts'
import { describeGeneration, describePublished } from '../../../src/vecstore/transport/describe-generation.ts'
import { index, manyFiles, prepare } from '../../indexer/index-fixture.ts'
import { flipByte } from '../store-fixture.ts'

function fileIn<T extends { path: string }>({ files }: { files: readonly T[] }, path: string): T {
  const found = files.find(file => file.path === path)
  if (found === undefined) throw new Error(`There is no ${path}.`)
  return found
}

test('a generation that is described stays readable when its folder has gone', async t => {
  const { store, repository, root } = prepare(t, manyFiles(12))
  await index(store, repository)
  const files = new Map<string, Buffer>()
  const projectDir = join(root, 'shop')
  await using described = await describeGeneration(projectDir, 1)
  for (const { path } of described.description.files) files.set(path, readFileSync(join(projectDir, '000001', path)))
  t.same([...files.keys()].sort(), [
    'catalogue.sqlite',
    'manifest.json',
    'segments/000001.lexical',
    'segments/000001.vectors',
  ])
  rmSync(join(projectDir, '000001'), { recursive: true })
  for (const { path, pieces } of described.description.files) {
    const read = await Promise.all(pieces.map(({ sha256 }) => described.readPiece(sha256)))
    t.ok(files.get(path)?.equals(Buffer.concat(read)), path)
  }
  await t.rejects(described.readPiece('a'.repeat(64)), RangeError)
  const gone = await describeGeneration(projectDir, 1).catch((error: unknown) => error)
  t.ok(isMissing(gone))
})

test('files that were described before are not read again', async t => {
  const { store, repository, root } = prepare(t, manyFiles(40))
  const projectDir = join(root, 'shop')
  await index(store, repository)
  await using first = await describeGeneration(projectDir, 1)
  const { description: previous } = first
  repository.commit({ 'src/cart_7.py': 'def changed_part(price):\n    return price\n' })
  await index(store, repository)
  await using alone = await describeGeneration(projectDir, 2)
  {
    await using second = await describeGeneration(projectDir, 2, { previous })
    t.same(second.description, alone.description)
    const isShared = (path: string) => previous.files.includes(fileIn(second.description, path))
    t.same(['segments/000001.lexical', 'segments/000002.lexical', 'catalogue.sqlite'].map(isShared), [
      true,
      false,
      false,
    ])
  }
})

test('a damaged file is named, when it is described and when it changes later', async t => {
  const { store, repository, root } = prepare(t, manyFiles(12))
  await index(store, repository)
  const projectDir = join(root, 'shop')
  for (const path of ['catalogue.sqlite', 'segments/000001.lexical']) {
    const file = join(projectDir, '000001', path)
    const whole = `${file}.whole`
    copyFileSync(file, whole)
    const damaged = { code: 'INDEX_INCOMPATIBLE', message: `${path} of generation 1 of the index of project shop` }
    const isDamaged = { ...damaged, message: new RegExp(`^${damaged.message} does not match`) }
    await using described = await describeGeneration(projectDir, 1)
    flipByte(file)
    await t.rejects(describeGeneration(projectDir, 1), isDamaged)
    const { pieces } = fileIn(described.description, path)
    const read = await Promise.allSettled(pieces.map(({ sha256 }) => described.readPiece(sha256)))
    t.match(
      read.filter(({ status }) => status === 'rejected'),
      [{ reason: isDamaged }],
      'the one piece that has the byte',
    )
    writeFileSync(file, readFileSync(file).subarray(1))
    await t.rejects(describeGeneration(projectDir, 1), isDamaged)
    await t.rejects(described.readPiece(pieces.at(-1)?.sha256 ?? ''), isDamaged)
    renameSync(whole, file)
  }
  await using described = await describeGeneration(projectDir, 1)
  t.ok(piecesOf(described.description).size > 3, 'what was put back is whole again')
})

test('what is published is described, the newer one where the one before has gone', async t => {
  const { store, repository, root } = prepare(t, manyFiles(12))
  const projectDir = join(root, 'shop')
  await store.createProject('shop')
  t.equal(await describePublished(projectDir), null)
  await index(store, repository)
  repository.commit({ 'src/cart_7.py': 'def changed_part(price):\n    return price\n' })
  {
    const described = describePublished(projectDir) // it has read CURRENT, or reads it again
    await index(store, repository)
    await using one = await described
    t.ok([1, 2].includes(one?.description.generation ?? 0))
  }
  await using newest = await describePublished(projectDir)
  t.equal(newest?.description.generation, 2)
  rmSync(join(projectDir, '000002'), { recursive: true })
  await t.rejects(describePublished(projectDir), { code: 'ENOENT' }, 'CURRENT names one that is not there')
})
